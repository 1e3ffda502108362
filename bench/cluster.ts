// The warm demo against a bare script that makes the same machines into a cluster, turn about; then what a second demo, a
// plan without changes and a destroy cost. Everything is removed again, also when it is stopped.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { manifests } from "../provider/cli/demo/workload.js";
import { kubeRouter } from "../provider/kube/core-manifests/kube-router.js";
import type { KubeObject } from "../provider/kube/object.js";
import { componentsOf, defaultVersion } from "../provider/mirror/versions.js";
import { type Figures, figures, ratios, word } from "./figures.js";
import { output } from "./process.js";
import type { Section, Tools } from "./section.js";
import { table } from "./table.js";

const root = resolve(import.meta.dirname, "..");
/** Fixed, so that the next run finds and removes what a killed one has left. */
const folder = join(root, ".honest/bench");
const name = process.env.HONEST_DEMO_NAME || "bench";
const bareName = `${name}-bare`;
const workers = 2;
const bareScript = join(import.meta.dirname, "bare.sh");

interface Stage {
  readonly name: string;
  readonly seconds: Figures;
}
export interface Cluster {
  readonly version: string;
  /** Seconds of the whole command, the proof by a workload included. */
  readonly demo: Figures;
  readonly bare: Figures;
  readonly ratio: Figures;
  /** The same command again: nothing changes, the workload is proven again. */
  readonly again: Figures;
  readonly noOpPlan: Figures;
  readonly destroy: Figures;
  readonly stages: readonly Stage[];
  readonly steps: readonly Stage[];
}

const env = { ...process.env, HONEST_DEMO_NAME: name, CHECKPOINT_DISABLE: "1" };
const tool = (args: readonly string[], signal?: AbortSignal, line?: (line: string) => void): Promise<string> =>
  output(process.execPath, [join(root, "dist/cli/honest-paas.js"), ...args], {
    cwd: folder,
    env,
    ...(signal ? { signal } : {}),
    ...(line ? { line } : {}),
  });

const demo = (args: readonly string[], signal?: AbortSignal, line?: (line: string) => void): Promise<string> =>
  tool(["demo", ...args], signal, line);

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

/** Of the demo's line "engine 0.0 s · artefacts 0.1 s …". */
export function stageTimes(said: string): ReadonlyMap<string, number> {
  const line = said.split("\n").find((one) => one.startsWith("engine ") && one.includes(" · "));
  if (line === undefined) throw new Error(`the demo printed no times of its stages:\n${said.slice(-2000)}`);
  return new Map(line.split(" · ").map((part) => [part.split(" ")[0] ?? "", Number(part.split(" ")[1])]));
}

/** Of the bare script's lines "STEP SECONDS-SINCE-BEGIN": what each step took. */
export function stepTimes(said: string): ReadonlyMap<string, number> {
  const marks = [...said.matchAll(/^([a-z]+) ([0-9.]+)$/gm)].map(([, step = "", at]) => [step, Number(at)] as const);
  if (marks.at(-1)?.[0] !== "workload") throw new Error(`the bare script did not come to its end:\n${said}`);
  return new Map(marks.map(([step, at], n) => [step, at - (marks[n - 1]?.[1] ?? 0)]));
}

const sum = (times: ReadonlyMap<string, number>): number => [...times.values()].reduce((all, seconds) => all + seconds, 0);

const stagesOf = (runs: readonly ReadonlyMap<string, number>[]): readonly Stage[] =>
  [...(runs[0]?.keys() ?? [])].map((stage) => ({ name: stage, seconds: figures(runs.map((run) => run.get(stage) ?? Number.NaN)) }));

/** One run of the script. It applies the pod network of the product and the workload of the demo. */
async function runBare(signal: AbortSignal, say: (line: string) => void): Promise<ReadonlyMap<string, number>> {
  const parts = componentsOf(defaultVersion);
  if (!parts) throw new Error(`there are no components of ${defaultVersion}`);
  mkdirSync(folder, { recursive: true });
  const save = (file: string, items: readonly KubeObject[]): string => {
    writeFileSync(join(folder, file), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    return join(folder, file);
  };
  const network = kubeRouter({
    cluster: bareName,
    version: defaultVersion,
    endpointName: "10.97.255.11",
    endpointPort: 6443,
    podCidr: "10.244.0.0/16",
    serviceCidr: "10.96.0.0/16",
    clusterDomain: "cluster.local",
    cni: "kube-router",
    coredns: parts.coredns,
    kubeRouter: parts.kubeRouter,
  });
  const workload = manifests(`registry.k8s.io/e2e-test-images/agnhost:${parts.agnhost}`);
  const files = [save("network.json", network), save("workload.json", workload)];
  const args = [bareScript, "up", bareName, defaultVersion, String(workers), parts.pause, ...files];
  return stepTimes(await output("bash", args, { signal, line: (line) => say(`  bare: ${line}`) }));
}

async function removeAll(say: (line: string) => void): Promise<void> {
  say("removing what is there of the benchmark's clusters");
  await output("bash", [bareScript, "down", bareName]);
  mkdirSync(folder, { recursive: true });
  await demo(["destroy"]);
  rmSync(folder, { recursive: true, force: true });
}

async function measure({ rounds = 3, say, signal }: Tools): Promise<Cluster> {
  const times: Record<"demo" | "bare" | "again" | "noOpPlan" | "destroy", number[]> = {
    demo: [],
    bare: [],
    again: [],
    noOpPlan: [],
    destroy: [],
  };
  const stages: ReadonlyMap<string, number>[] = [];
  const steps: ReadonlyMap<string, number>[] = [];
  const shape = ["--control-planes", "1", "--workers", String(workers), "--version", defaultVersion];
  const stageEnd = (line: string): void => {
    if (line.startsWith("[") && !line.endsWith("...")) say(`  ${line}`);
  };
  const make = async (): Promise<string> => {
    mkdirSync(folder, { recursive: true });
    return demo(shape, signal, stageEnd);
  };
  await removeAll(say);
  try {
    mkdirSync(folder, { recursive: true });
    say("building the artefacts and the machine image where they are missing, before anything is timed");
    await tool(["image", "build", "--version", defaultVersion], signal);
    for (let round = 1; round <= rounds; round += 1) {
      times.demo.push(await secondsOf(async () => stages.push(stageTimes(await make()))));
      say(`round ${round} of ${rounds}: demo ${times.demo.at(-1)?.toFixed(1)} s`);
      times.again.push(await secondsOf(() => demo([], signal)));
      const stack = join(folder, ".honest/demo/cdktf.out/stacks", name);
      const plan = () => output("terraform", ["plan", "-detailed-exitcode", "-input=false"], { cwd: stack, env, signal });
      for (let n = 0; n < 3; n += 1) times.noOpPlan.push(await secondsOf(plan));
      times.destroy.push(await secondsOf(() => demo(["destroy"], signal)));
      const took = await runBare(signal, say);
      steps.push(took);
      // the sum of the steps: without what the script takes to remove its machines
      times.bare.push(sum(took));
      say(`round ${round} of ${rounds}: bare script ${sum(took).toFixed(1)} s`);
    }
  } finally {
    await removeAll(say);
  }
  return {
    version: defaultVersion,
    demo: figures(times.demo),
    bare: figures(times.bare),
    ratio: ratios(times.demo, times.bare),
    again: figures(times.again),
    noOpPlan: figures(times.noOpPlan),
    destroy: figures(times.destroy),
    stages: stagesOf(stages),
    steps: stagesOf(steps),
  };
}

const rows = (stages: readonly Stage[]): readonly (readonly string[])[] =>
  stages.map(({ name: stage, seconds }) => [stage, word(seconds, 1)]);

export const cluster: Section<Cluster> = {
  title: "Demo beside a bare script",
  measure,

  limits: ({ demo: whole, ratio, noOpPlan }) => [
    { what: "warm demo, 1 control plane and 2 workers", figure: word(whole, 1, " s"), value: whole.median, most: 90, unit: " s" },
    { what: "warm demo ÷ bare script", figure: word(ratio, 2), value: ratio.median, most: 1.5, unit: "" },
    { what: "plan without changes of that cluster", figure: word(noOpPlan, 2, " s"), value: noOpPlan.median, most: 3, unit: " s" },
  ],

  page: (data) =>
    `Kubernetes ${data.version}, ${data.ratio.runs} pairs, turn about; artefacts and machine image are there. Both
make 3 machines of the same image with the same limits (2 CPUs, 2 GiB) and end with the same proof: a Deployment of two
replicas, asked by the Service's DNS name from a pod on the other node. Both have the same kube-router manifest, etcd as a
program, kube-proxy in nftables mode and CoreDNS with two replicas.

The bare script (bench/bare.sh) is \`docker run\`, \`kubeadm init\`, \`kubectl apply\` of the network, and \`kubeadm join\` on both
workers at once, with a token that stands in the script and without a check of the CA. It has no terraform, no cloud-init, no
balancer, no disk for etcd, no TLS to etcd, no certificates made outside, no approval of machine and serving certificates and
no agent, and it cannot be run twice.

${table(
  ["", "seconds"],
  [
    ["demo, the whole command", word(data.demo, 1)],
    ["bare script", word(data.bare, 1)],
    ["demo again: nothing to do, the workload is proven again", word(data.again, 1)],
    ["destroy", word(data.destroy, 1)],
  ],
)}

${table(["stage of the demo", "seconds"], rows(data.stages))}

${table(["step of the bare script", "seconds"], rows(data.steps))}`,
};
