// A real cluster that is changed while it is worked with: a writer, a watcher of versions, terraform killed with all that it
// started. For the tests of upgrades and rolls.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { filesOf } from "../../provider/cli/converge/runner.js";
import type { Access } from "../../provider/kube/access.js";
import type { KubeClient } from "../../provider/kube/client.js";
import { startWriter, type Written } from "./api-writer.js";
import { eventually, type Finished, leftovers, run } from "./demo-project.js";
import { type ProgramProject, programProject } from "./program-project.js";
import { connectTo, type SkewReport, watchSkew } from "./skew-watcher.js";

export interface NodeRow {
  readonly name: string;
  readonly ready: boolean;
  readonly version: string;
  readonly controlPlane: boolean;
  readonly machineId: string;
}
export interface Watched {
  readonly written: Written;
  readonly skew: SkewReport;
}

interface NodeObject {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status: {
    readonly nodeInfo: { readonly kubeletVersion: string };
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

export class ChangedCluster {
  readonly project: ProgramProject;
  private client: KubeClient | undefined;
  private access: Access | undefined;

  constructor(
    readonly name: string,
    readonly controlPlanes: 1 | 3,
    readonly workers: number,
    private version: string,
  ) {
    this.project = programProject(name, version);
  }

  /** Synthesizes for these props beside those of the cluster's size. */
  async want(
    version: string,
    change: { readonly controlPlane?: object; readonly group?: object; readonly more?: object } = {},
  ): Promise<void> {
    this.version = version;
    await this.project.synth({
      version,
      iaas: { local: {} },
      deletionProtection: false,
      controlPlane: { replicas: this.controlPlanes, ...change.controlPlane },
      nodeGroups: { w: { scalingConfig: { desiredSize: this.workers, maxSize: this.workers + 2 }, ...change.group } },
      ...change.more,
    });
  }

  async make(): Promise<void> {
    await this.want(this.version);
    await this.project.apply();
    const output = await this.must(this.project.terraform(["output", "-json", "honest_access"]));
    this.access = JSON.parse(output.stdout) as Access;
    this.client = connectTo(this.access);
    await this.must(this.project.kubectl(["create", "configmap", "sentinel", "--from-literal=value=kept"]));
  }

  async must(finished: Promise<Finished>): Promise<Finished> {
    const done = await finished;
    if (done.code !== 0) throw new Error(`ended with ${done.code}:\n${done.stdout}\n${done.stderr}`);
    return done;
  }
  plan = (): Promise<Finished> => this.project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
  async emptyPlan(): Promise<void> {
    const plan = await this.plan();
    expect(plan.code, plan.stdout + plan.stderr).toBe(0);
  }

  async nodes(): Promise<readonly NodeRow[]> {
    const got = await this.must(this.project.kubectl(["get", "nodes", "-o", "json"]));
    return (JSON.parse(got.stdout) as { items: readonly NodeObject[] }).items.map(({ metadata, status }) => ({
      name: metadata.name,
      ready: status.conditions.some((one) => one.type === "Ready" && one.status === "True"),
      version: status.nodeInfo.kubeletVersion.replace(/^v/, ""),
      controlPlane: metadata.labels?.["node-role.kubernetes.io/control-plane"] !== undefined,
      machineId: (JSON.parse(metadata.annotations?.["honest-paas.dev/status"] ?? "{}") as { machine_id?: string }).machine_id ?? "",
    }));
  }
  whole = (): Promise<readonly NodeRow[]> =>
    eventually(`${this.controlPlanes + this.workers} nodes Ready`, 120, async () => {
      const nodes = await this.nodes();
      return nodes.length === this.controlPlanes + this.workers && nodes.every((node) => node.ready) ? nodes : undefined;
    });

  /** uid of kube-system and the sentinel: another cluster has others. */
  async identity(): Promise<string> {
    const uid = await this.must(this.project.kubectl(["get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"]));
    const kept = await this.must(this.project.kubectl(["get", "configmap", "sentinel", "-o", "jsonpath={.data.value}"]));
    return `${uid.stdout} ${kept.stdout}`;
  }
  /** Members' machines, name to address. */
  async addresses(): Promise<Readonly<Record<string, string>>> {
    const shown = await this.must(this.project.terraform(["show", "-json"]));
    const { values } = JSON.parse(shown.stdout) as {
      values: { root_module: { resources: readonly { type: string; values: { name: string; address: string; role: string } }[] } };
    };
    return Object.fromEntries(
      values.root_module.resources
        .filter((one) => one.type === "honest_node" && one.values.role === "control-plane")
        .map((one) => [one.values.name, one.values.address]),
    );
  }

  /** What the skew policy is judged by: each control plane's kubelet, controller-manager and scheduler use their own API server. */
  async speaksWithItself(): Promise<void> {
    for (const [machine, address] of Object.entries(await this.addresses())) {
      const files = ["kubelet", "controller-manager", "scheduler"].map((name) => `/etc/kubernetes/${name}.conf`);
      const got = await this.must(run("docker", ["exec", machine, "sed", "-n", "s/^ *server: //p", ...files]));
      expect(got.stdout.trim().split("\n"), machine).toEqual(files.map(() => `https://${address}:6443`));
    }
  }

  /** Writes, reads and looks at versions while `change` runs. */
  async during(change: () => Promise<void>): Promise<Watched> {
    if (!this.client || !this.access) throw new Error("there is no cluster");
    const writer = startWriter(this.client);
    const skew = watchSkew(this.access, await this.addresses());
    let written: Written;
    try {
      await change();
    } finally {
      written = await writer.stop();
    }
    return { written, skew: await skew.stop() };
  }

  /** A converge that is killed after so long, and with it terraform and the providers that it has started. */
  async killedConverge(afterMs: number): Promise<Finished> {
    return this.project.tool(["converge", "--yes"], {
      started: (child) => {
        const timer = setTimeout(() => {
          const pid = Number(readFileSync(filesOf(this.project.stack, process.env).pid, "utf8"));
          // terraform leads a process group of its own, as the keeper has begun it
          process.kill(-pid, "SIGKILL");
          child.kill("SIGKILL");
        }, afterMs);
        child.on("close", () => clearTimeout(timer));
      },
    });
  }

  async close(): Promise<void> {
    await this.client?.close();
    await this.project.destroy();
    expect(await leftovers(this.name)).toEqual([]);
  }
}

/** A seed from outside repeats a run: HONEST_SEED=123. */
export function seeded(): { readonly seed: number; readonly below: (n: number) => number } {
  const seed = Number(process.env.HONEST_SEED ?? Math.floor(Math.random() * 1_000_000));
  let at = seed >>> 0;
  return {
    seed,
    below(n) {
      at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
      return (at >>> 8) % n;
    },
  };
}
