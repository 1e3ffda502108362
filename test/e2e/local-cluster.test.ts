// One control plane and two workers by the demo command, then what a user does in the first week: look, scale, replace,
// reboot, lose a machine, lose the API, destroy. Real terraform, real cloud-init, real Kubernetes. The steps build on
// each other, in order.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoProject, eventually, leftovers, run } from "../support/demo-project.js";

const name = "e2e-one";
const project = demoProject(name);
const agnhost = async (): Promise<string> => {
  const deployment = await project.kubectl([
    "get",
    "deployment",
    "honest-demo",
    "-o",
    "jsonpath={.spec.template.spec.containers[0].image}",
  ]);
  return deployment.stdout.trim();
};

async function expectEmptyPlan(): Promise<void> {
  const plan = await project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
  expect(plan.code, plan.stdout + plan.stderr).toBe(0);
}

async function kubectl(...args: string[]): Promise<string> {
  const done = await project.kubectl(args);
  expect(done.code, `kubectl ${args.join(" ")}: ${done.stderr}`).toBe(0);
  return done.stdout;
}

async function apply(manifest: object): Promise<void> {
  const done = await project.kubectl(["apply", "-f", "-"], { input: JSON.stringify(manifest) });
  expect(done.code, done.stderr).toBe(0);
}

/** A pod that stays, pinned to a node, answering HTTP on 8080 with its own name. */
async function pod(podName: string, node: string, labels: Record<string, string> = {}): Promise<void> {
  await apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: podName, labels },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "web", image: await agnhost(), imagePullPolicy: "IfNotPresent", args: ["netexec", "--http-port=8080"] }],
    },
  });
  await kubectl("wait", "--for=condition=Ready", `pod/${podName}`, "--timeout=60s");
}

const connect = (from: string, target: string) =>
  project.kubectl(["exec", from, "--", "/agnhost", "connect", "--timeout=3s", "--protocol=tcp", target]);

const workers = async (): Promise<readonly string[]> => (await project.nodes()).filter((n) => !n.controlPlane).map((n) => n.name);
const ready = (count: number, seconds = 120) =>
  eventually(`${count} nodes Ready`, seconds, async () => {
    const nodes = await project.nodes();
    return nodes.length === count && nodes.every((n) => n.ready && !n.unschedulable) ? nodes : undefined;
  });

beforeAll(async () => {
  const made = await project.demo(["--control-planes", "1", "--workers", "2"]);
  if (made.code !== 0) throw new Error(`demo: ${made.stdout}\n${made.stderr}`);
}, 900_000);

afterAll(async () => {
  await project.destroy();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

describe("1 control plane, 2 workers", () => {
  it("has three Ready nodes of the default version and an empty second plan", async () => {
    const nodes = await ready(3);
    expect(nodes.filter((n) => n.controlPlane)).toHaveLength(1);
    expect(new Set(nodes.map((n) => n.version)).size).toBe(1);
    await expectEmptyPlan();
  });

  it("runs the demo again without a change, in seconds", async () => {
    const again = await project.demo(["--control-planes", "1", "--workers", "2"]);
    expect(again.code, again.stdout + again.stderr).toBe(0);
    expect(again.stdout).toMatch(/no changes/i);
    expect(again.ms).toBeLessThan(60_000);
  });

  it("carries pod traffic between nodes and resolves a Service by its DNS name", async () => {
    const [first, second] = await workers();
    await pod("east", first ?? "", { app: "east" });
    await pod("west", second ?? "", { app: "west" });
    const address = await kubectl("get", "pod", "west", "-o", "jsonpath={.status.podIP}");
    expect((await connect("east", `${address}:8080`)).code).toBe(0);
    await kubectl("expose", "pod", "west", "--port=80", "--target-port=8080");
    await eventually("Service by name", 30, async () =>
      (await connect("east", "west.default.svc.cluster.local:80")).code === 0 ? true : undefined,
    );
  });

  it("enforces a NetworkPolicy", async () => {
    await apply({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "deny-west" },
      spec: { podSelector: { matchLabels: { app: "west" } }, policyTypes: ["Ingress"], ingress: [] },
    });
    const address = await kubectl("get", "pod", "west", "-o", "jsonpath={.status.podIP}");
    await eventually("denied", 60, async () => ((await connect("east", `${address}:8080`)).code !== 0 ? true : undefined));
    await kubectl("delete", "networkpolicy", "deny-west");
    await eventually("allowed again", 60, async () => ((await connect("east", `${address}:8080`)).code === 0 ? true : undefined));
  });

  it("serves logs through the kubelet's approved serving certificate", async () => {
    expect(await kubectl("logs", "west")).toContain("HTTP");
  });

  it("says why when the workload cannot run: the scheduler's reason, the nodes' taints", async () => {
    const names = await workers();
    await kubectl("taint", "nodes", ...names, "e2e=full:NoSchedule");
    try {
      await kubectl("delete", "pod", "-l", "app=honest-demo", "--wait=true");
      const failed = await project.demo(["--wait", "5"]);
      expect(failed.code, failed.stdout + failed.stderr).toBe(1);
      expect(failed.stderr).toMatch(
        /0 of 2 replicas are ready\n {2}pod honest-demo-\S+: Pending on no node; not scheduled: .*untolerated taint/,
      );
      for (const name of names) expect(failed.stderr).toContain(`node ${name}: tainted e2e:NoSchedule`);
    } finally {
      await kubectl("taint", "nodes", ...names, "e2e-");
    }
    const again = await project.demo([]);
    expect(again.code, again.stdout + again.stderr).toBe(0);
  });

  it("replaces a worker by surge: the new one is Ready before the old one is drained, and a PodDisruptionBudget holds", async () => {
    await kubectl("delete", "pod", "east", "west", "--wait=true");
    await kubectl("delete", "service", "west");
    await apply({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "honest-demo" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "honest-demo" } } },
    });
    const before = await workers();
    const [machine] = (await project.addresses(/honest_local_machine\./)).filter((a) => !/cp/.test(a));
    expect(machine).toBeDefined();
    let most = 0;
    let least = 99;
    let watching = true;
    const watch = (async () => {
      while (watching) {
        const nodes = (await project.nodes().catch(() => [])).filter((n) => !n.controlPlane);
        if (nodes.length > 0) {
          most = Math.max(most, nodes.length);
          least = Math.min(least, nodes.filter((n) => n.ready && !n.unschedulable).length);
        }
        await new Promise((wake) => setTimeout(wake, 1000));
      }
    })();
    const done = await project.terraform(["apply", "-auto-approve", "-no-color", "-input=false", `-replace=${machine}`]);
    watching = false;
    await watch;
    expect(done.code, done.stdout + done.stderr).toBe(0);
    const after = await workers();
    expect(after).toHaveLength(2);
    expect(after.filter((n) => before.includes(n))).toHaveLength(1);
    expect(most).toBe(3);
    expect(least).toBeGreaterThanOrEqual(2);
    await expectEmptyPlan();
  });

  it("scales 2 → 3 → 1", async () => {
    for (const count of [3, 1]) {
      const done = await project.demo(["--control-planes", "1", "--workers", String(count)]);
      expect(done.code, done.stdout + done.stderr).toBe(0);
      await ready(1 + count);
      await expectEmptyPlan();
    }
  });

  it("comes back after a reboot of every machine", async () => {
    const listed = await run("docker", [
      "ps",
      "-q",
      "--filter",
      `label=honest-paas.dev/cluster=${name}`,
      "--filter",
      "label=honest-paas.dev/kind=machine",
    ]);
    const ids = listed.stdout.split("\n").filter(Boolean);
    expect(ids).toHaveLength(2);
    expect((await run("docker", ["restart", ...ids])).code).toBe(0);
    await ready(2, 180);
    await expectEmptyPlan();
  });

  it("makes a worker again that was removed behind terraform's back", async () => {
    const listed = await run("docker", [
      "ps",
      "--format",
      "{{.ID}} {{.Names}}",
      "--filter",
      `label=honest-paas.dev/cluster=${name}`,
      "--filter",
      "label=honest-paas.dev/kind=machine",
    ]);
    const [worker] = listed.stdout.split("\n").filter((row) => row !== "" && !/-cp-/.test(row));
    expect((await run("docker", ["rm", "-f", (worker ?? "").split(" ")[0] ?? ""])).code).toBe(0);
    const plan = await project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
    expect(plan.code, plan.stdout + plan.stderr).toBe(2);
    const done = await project.terraform(["apply", "-auto-approve", "-no-color", "-input=false"]);
    expect(done.code, done.stdout + done.stderr).toBe(0);
    await ready(2);
    await expectEmptyPlan();
  });

  it("keeps the state and warns when the API cannot be reached during a plan", async () => {
    const server = (signal: string) => run("docker", ["exec", `${name}-cp-a`, "sh", "-c", `kill -${signal} $(pidof kube-apiserver)`]);
    expect((await server("STOP")).code).toBe(0);
    try {
      const plan = await project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
      expect(plan.code, plan.stdout + plan.stderr).toBe(0);
      expect(plan.stdout).toMatch(/Warning/);
      expect(plan.stdout).toMatch(/127\.0\.0\.1/);
    } finally {
      expect((await server("CONT")).code).toBe(0);
    }
    await eventually("API back", 60, async () => ((await project.kubectl(["get", "--raw", "/readyz"])).code === 0 ? true : undefined));
    await expectEmptyPlan();
  });

  it("shows no key in state listings, plans or the demo's output", async () => {
    const plan = await project.terraform(["plan", "-no-color", "-input=false"]);
    const shown = await project.terraform(["show", "-no-color"]);
    for (const text of [plan.stdout, plan.stderr, shown.stdout]) expect(text).not.toMatch(/PRIVATE KEY/);
  });
});
