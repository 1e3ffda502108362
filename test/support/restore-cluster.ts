// A real cluster that is taken back to a snapshot: what the tests do to it and ask it, the same for one control plane and
// for three.
import { createHash } from "node:crypto";
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { connect, type KubeClient } from "../../provider/kube/client.js";
import { issueClient } from "../../provider/pki/issue.js";
import { eventually, type Finished, run } from "./demo-project.js";
import { type ProgramProject, programProject } from "./program-project.js";

export interface Snapshot {
  readonly sha256: string;
  readonly url: string;
  readonly file: string;
}
export interface RestoreCluster {
  readonly project: ProgramProject;
  readonly client: KubeClient;
  readonly machines: readonly string[];
  synth(restore?: object): Promise<void>;
  /** Output of a kubectl that has to work. */
  kubectl(...args: string[]): Promise<string>;
  /** Saved by a control plane, copied out and served on the machines' network. */
  snapshot(): Promise<Snapshot>;
  /** Machines and, by default, their etcd disks. */
  lose(disks?: boolean): Promise<void>;
  /** Number of etcd as every control plane says it. */
  numbers(): Promise<readonly number[]>;
  allReady(): Promise<void>;
  close(): Promise<void>;
}

const must = async (ending: Promise<Finished>): Promise<string> => {
  const done = await ending;
  if (done.code !== 0) throw new Error(`${done.stdout}\n${done.stderr}`);
  return done.stdout;
};
const pki = "/etc/kubernetes/pki/etcd";
const etcdKeys = [`--cacert=${pki}/ca.crt`, `--cert=${pki}/peer.crt`, `--key=${pki}/peer.key`];

export const soon = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+Z$/, "Z");

export async function restoreCluster(name: string, controlPlanes: 1 | 3, workers: number): Promise<RestoreCluster> {
  const project = programProject(name, "1.36.3");
  const folder = mkdtempSync(join(tmpdir(), `${name}-served-`));
  const machines = ["a", "b", "c"].slice(0, controlPlanes).map((letter) => `${name}-cp-${letter}`);
  const [first = ""] = machines;
  const synth = (restore?: object): Promise<void> =>
    project.synth({
      iaas: { local: {} },
      deletionProtection: false,
      controlPlane: { replicas: controlPlanes },
      nodeGroups: { w: { scalingConfig: { desiredSize: workers } } },
      ...(restore ? { restore } : {}),
    });
  await synth();
  await project.apply();
  const filters = [`label=honest-paas.dev/cluster=${name}`, "label=honest-paas.dev/kind=network"].flatMap((filter) => ["--filter", filter]);
  const id = (await must(run("docker", ["network", "ls", "-q", ...filters]))).trim();
  const network = JSON.parse(await must(run("docker", ["network", "inspect", id]))) as { IPAM: { Config: { Gateway: string }[] } }[];
  const gateway = network[0]?.IPAM.Config[0]?.Gateway ?? "";
  const server = createServer((request, response) => {
    const file = join(folder, (request.url ?? "").replace(/\?.*/, "").replace(/^\//, ""));
    try {
      response.writeHead(200, { "content-length": statSync(file).size });
      createReadStream(file).pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, gateway, done));
  const url = `http://${gateway}:${(server.address() as AddressInfo).port}`;
  const access = await must(project.terraform(["output", "-json", "honest_access"]));
  const client = connect(JSON.parse(access), { issue: issueClient });
  const kubectl = (...args: string[]): Promise<string> => must(project.kubectl(args));
  return {
    project,
    client,
    machines,
    synth,
    kubectl,
    async snapshot() {
      const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
      const file = join(folder, `${stamp}.db`);
      await must(run("docker", ["exec", first, "etcdctl", ...etcdKeys, "snapshot", "save", "/root/snapshot.db"]));
      await must(run("docker", ["cp", `${first}:/root/snapshot.db`, file]));
      const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
      return { sha256, url: `${url}/${stamp}.db`, file };
    },
    async lose(disks = true) {
      await must(run("docker", ["rm", "-f", ...machines]));
      if (!disks) return;
      const volumes = (await must(run("docker", ["volume", "ls", "-q", "--filter", `label=honest-paas.dev/cluster=${name}`]))).split("\n");
      const etcd = volumes.filter((volume) => /cp-[a-e]/.test(volume));
      expect(etcd).toHaveLength(controlPlanes);
      await must(run("docker", ["volume", "rm", ...etcd]));
    },
    async numbers() {
      const path = "jsonpath={range .items[*]}{.metadata.annotations.honest-paas\\.dev/etcd}{'\\n'}{end}";
      const said = await kubectl("get", "nodes", "-l", "node-role.kubernetes.io/control-plane", "-o", path);
      return said
        .split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { number: number }).number);
    },
    async allReady() {
      await eventually("all nodes Ready", 120, async () => {
        const said = await kubectl("get", "nodes", "-o", "jsonpath={range .items[*]}{.status.conditions[?(@.type=='Ready')].status} {end}");
        const states = said.trim().split(" ");
        return states.length === controlPlanes + workers && states.every((state) => state === "True") ? true : undefined;
      });
    },
    async close() {
      await client.close();
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true, force: true });
      await project.destroy();
    },
  };
}

/** uid of kube-system, what was there before the snapshot, and the address of a Service. */
export async function whoItIs(cluster: RestoreCluster): Promise<object> {
  const uid = await cluster.kubectl("get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}");
  const sentinel = await cluster.kubectl("get", "configmap", "sentinel", "-o", "jsonpath={.data.value}");
  const address = await cluster.kubectl("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}");
  return { uid, sentinel, address };
}
