// The ten commonest failures, each provoked on a real cluster: doctor has to name the right cause first. The clock of a
// container is its host's, so a wrong one is proven by the unit tests only.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diagnose } from "../../provider/cli/diagnosis/diagnose.js";
import type { Finding } from "../../provider/cli/diagnosis/evidence.js";
import { gather } from "../../provider/cli/diagnosis/gather.js";
import { clustersIn } from "../../provider/cli/kubeconfig/access.js";
import { pullState } from "../../provider/cli/terraform/state.js";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { programProject } from "../support/program-project.js";
import { createCa } from "../support/stand-in/certificates.js";

const name = "e2e-doctor";
const project = programProject(name, "1.36.3");
const controlPlanes = ["a", "b", "c"].map((letter) => `${name}-cp-${letter}`);
let worker = "";

const props = (more: object = {}) => ({
  iaas: { local: {} },
  deletionProtection: false,
  controlPlane: { replicas: 3 },
  nodeGroups: { w: { scalingConfig: { desiredSize: 1 }, drainTimeoutSec: 45 } },
  ...more,
});

const must = async (finished: ReturnType<typeof run>) => {
  const done = await finished;
  expect(done.code, `${done.stdout}\n${done.stderr}`).toBe(0);
  return done;
};
const kubectl = (...args: string[]) => must(project.kubectl(args));
const inside = (machine: string, script: string) => must(run("docker", ["exec", machine, "/bin/sh", "-c", script]));

interface Told {
  readonly code: number;
  readonly findings: readonly Finding[];
}
async function doctor(): Promise<Told> {
  const done = await project.tool(["doctor", "--json"]);
  if (done.stdout === "") throw new Error(`doctor ended with ${done.code}: ${done.stderr}`);
  return { code: done.code, findings: (JSON.parse(done.stdout) as { findings: readonly Finding[] }).findings };
}
const first = (what: string, cause: Finding["cause"], seconds = 150): Promise<Finding> =>
  eventually(what, seconds, async () => {
    const { findings, code } = await doctor();
    if (findings[0]?.cause !== cause) throw new Error(JSON.stringify(findings.map((f) => [f.cause, f.sureness, f.text])));
    expect(code).toBe(2);
    console.log(`${what}: ${findings[0].sureness}: ${findings[0].text}`);
    return findings[0];
  });
const well = (seconds = 240) =>
  eventually("nothing is found", seconds, async () => {
    const { findings, code } = await doctor();
    if (findings.length > 0) throw new Error(JSON.stringify(findings.map((f) => [f.cause, f.text, f.evidence])));
    expect(code).toBe(0);
    return true;
  });

beforeAll(async () => {
  await project.synth(props());
  await project.apply();
  const nodes = await kubectl("get", "nodes", "-o", "name");
  worker = nodes.stdout
    .split("\n")
    .map((line) => line.replace("node/", ""))
    .find((node) => node !== "" && !controlPlanes.includes(node)) as string;
}, 900_000);

afterAll(async () => {
  await project.destroy();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

describe("doctor", () => {
  it("finds nothing in a healthy cluster", () => well(60), 90_000);

  it("no quorum: etcd stopped on two of three", async () => {
    for (const machine of controlPlanes.slice(0, 2)) await inside(machine, "systemctl mask --runtime --now honest-etcd");
    await first("no quorum", "no-quorum");
    for (const machine of controlPlanes.slice(0, 2))
      await inside(machine, "systemctl unmask --runtime honest-etcd; systemctl start honest-etcd");
    await well();
  }, 420_000);

  it("no quorum: two of three machines are off", async () => {
    await must(run("docker", ["kill", ...controlPlanes.slice(1)]));
    const found = await first("no quorum", "no-quorum");
    expect(found).toMatchObject({ sureness: "certain", text: expect.stringContaining("1 of 3") });
    await must(run("docker", ["start", ...controlPlanes.slice(1)]));
    await well();
  }, 420_000);

  it("endpoint: the balancer is stopped", async () => {
    const listed = await must(
      run("docker", ["ps", "-q", "--filter", `label=honest-paas.dev/cluster=${name}`, "--filter", "label=honest-paas.dev/kind=balancer"]),
    );
    const balancer = listed.stdout.trim();
    await must(run("docker", ["stop", "-t", "1", balancer]));
    const found = await first("endpoint", "endpoint", 30);
    expect(found.sureness).toBe("certain");
    await must(run("docker", ["start", balancer]));
    await well();
  }, 300_000);

  it("certificate: the CA is another", async () => {
    const state = await pullState(project.stack, process.env);
    const [access] = clustersIn(state);
    if (!access) throw new Error("the state has no cluster");
    const ca = await createCa("another");
    const evidence = await gather(state, { ...access, caBundle: ca.cert }, process.env, AbortSignal.timeout(30_000));
    expect(diagnose(evidence)[0]).toMatchObject({ cause: "certificate", sureness: "certain", text: expect.stringContaining("not signed") });
  }, 60_000);

  it("DNS: CoreDNS is scaled to nothing", async () => {
    await kubectl("-n", "kube-system", "scale", "deployment", "coredns", "--replicas=0");
    await first("DNS", "dns", 60);
    await kubectl("-n", "kube-system", "scale", "deployment", "coredns", "--replicas=2");
    await well();
  }, 300_000);

  it("image pull: an image that no registry has", async () => {
    await kubectl("run", "no-image", "--image=localhost:1/nobody/has-this:0", "--restart=Never");
    await first("image pull", "image-pull", 90);
    await kubectl("delete", "pod", "no-image", "--grace-period=0", "--force");
    await well();
  }, 300_000);

  it("CNI: the DaemonSet is gone, then the configuration of a node", async () => {
    const kept = join(mkdtempSync(join(tmpdir(), "honest-doctor-")), "kube-router.json");
    const daemon = await kubectl("-n", "kube-system", "get", "daemonset", "kube-router", "-o", "json");
    const { apiVersion, kind, metadata, spec } = JSON.parse(daemon.stdout);
    writeFileSync(
      kept,
      JSON.stringify({ apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace, labels: metadata.labels }, spec }),
    );
    await kubectl("-n", "kube-system", "delete", "daemonset", "kube-router");
    const gone = await first("CNI", "cni", 60);
    expect(gone.text).toMatch(/kube-router is gone/);
    await inside(worker, "mkdir -p /run/kept && mv /etc/cni/net.d/* /run/kept/ && systemctl restart containerd kubelet");
    const missing = await eventually("no pod network", 120, async () => {
      const { findings } = await doctor();
      return findings[0]?.cause === "cni" && JSON.stringify(findings[0]).includes(`${worker} has no pod network`) ? findings[0] : undefined;
    });
    expect(missing.sureness).toBe("certain");
    await kubectl("apply", "-f", kept);
    rmSync(kept);
    await well();
  }, 420_000);

  it("PDB: a drain waits, says so within a minute, and gives up with the node in service", async () => {
    await kubectl("create", "deployment", "web", "--image=registry.k8s.io/pause:3.10.2", "--replicas=1");
    await kubectl("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=1");
    await eventually("the pod", 90, async () => {
      const pods = await kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[0].status.phase}");
      return pods.stdout === "Running" ? true : undefined;
    });
    const [membership] = (await must(project.terraform(["state", "list"]))).stdout
      .split("\n")
      .filter((a) => /honest_local_machine\..*w_a_0/.test(a));
    const begun = Date.now();
    const applying = project.terraform(["apply", "-auto-approve", "-no-color", "-input=false", `-replace=${membership}`]);
    await first("PDB", "pdb", 180);
    const event = await eventually("the event", 90, async () => {
      const listed = await kubectl("get", "events", "--field-selector", "reason=DrainBlocked", "-o", "jsonpath={.items[0].message}");
      return listed.stdout || undefined;
    });
    expect(event).toMatch(/is kept by a PodDisruptionBudget.*gives up at/);
    const ended = await applying;
    console.log(`the apply gave up after ${Math.round((Date.now() - begun) / 1000)} s`);
    expect(ended.code).not.toBe(0);
    expect((ended.stdout + ended.stderr).replace(/\s+│?\s*/g, " ")).toMatch(/was not emptied.*is kept by a PodDisruptionBudget/);
    const cordoned = await kubectl("get", "node", worker, "-o", "jsonpath={.spec.unschedulable}");
    expect(cordoned.stdout).toBe("");
    await kubectl("delete", "poddisruptionbudget", "web");
    await kubectl("delete", "deployment", "web");
    await kubectl("delete", "events", "--field-selector", "reason=DrainBlocked");
    await project.apply();
    await well();
  }, 600_000);

  it("disk: etcd's is full on one of three", async () => {
    const [machine = ""] = controlPlanes;
    const disk = "/var/lib/honest-paas/etcd-disk";
    // allocated and not written, so that the disk's sparse file does not grow on the host; root may use what is reserved
    await inside(
      machine,
      `cd ${disk} && fallocate -l $(( $(stat -f -c %f .) * $(stat -f -c %S .) - 4194304 )) filler; dd if=/dev/zero of=filler2 bs=4k 2>/dev/null; sync`,
    );
    // what is allocated already bears some writes: the store has to grow
    const text = "x".repeat(900_000);
    const file = join(project.dir, "large.json");
    for (let n = 0; n < 60; n += 1) {
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `large-${n}`, namespace: "default" }, data: { text } }),
      );
      await project.kubectl(["create", "-f", file]);
      const state = await run("docker", ["exec", machine, "systemctl", "is-active", "honest-etcd"]);
      if (state.stdout.trim() !== "active") break;
    }
    const found = await first("disk", "disk", 150);
    expect(found).toMatchObject({ sureness: "certain", text: expect.stringContaining(machine) });
    await inside(machine, `rm ${disk}/filler ${disk}/filler2; systemctl restart honest-etcd`);
    const listed = await kubectl("get", "configmaps", "-n", "default", "-o", "name");
    await kubectl("delete", "-n", "default", ...listed.stdout.split("\n").filter((line) => line.includes("/large-")));
    await well();
  }, 600_000);

  it("mirror: it is down for a new machine whose image lacks the version", async () => {
    await project.synth(
      props({
        mirror: { binaries: "http://127.0.0.1:1/mirror" },
        nodeGroups: {
          w: { scalingConfig: { desiredSize: 1 }, drainTimeoutSec: 45 },
          m: { scalingConfig: { desiredSize: 1 }, image: "honest-paas/machine:1.37.2" },
        },
      }),
    );
    let interrupt = (): void => undefined;
    const applying = project.terraform(["apply", "-auto-approve", "-no-color", "-input=false"], {
      started: (child) => {
        interrupt = () => void child.kill("SIGINT");
      },
    });
    const found = await first("mirror", "mirror", 240);
    expect(found).toMatchObject({ sureness: "certain", text: expect.stringContaining("127.0.0.1:1") });
    interrupt();
    await applying;
  }, 600_000);
});
