// A cluster made by the demo command in a folder of its own, for the tests that need a real Kubernetes. Everything goes
// through what a user has: the CLI, terraform and kubectl.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const cli = join(root, "dist/cli/honest-paas.js");

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Called with the process, so that a test can end it at a moment of its choice. */
  readonly started?: (child: ChildProcess) => void;
}

/** Runs a program to its end; never throws for an exit code. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const begun = Date.now();
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, CHECKPOINT_DISABLE: "1", ...options.env },
      // a pipe that nothing is written to would break under a program that ends at once
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      stdout += chunk;
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk;
    });
    const timer = setTimeout(() => child.kill("SIGTERM"), options.timeoutMs ?? 600_000);
    child.on("error", fail);
    child.on("close", (code) => {
      clearTimeout(timer);
      done({ code: code ?? -1, stdout, stderr, ms: Date.now() - begun });
    });
    // a program that does not read to the end says why by its exit code
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input);
    options.started?.(child);
  });
}

/** Polls until the check gives something, or fails with what the last try said. */
export async function eventually<T>(what: string, seconds: number, check: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let last = "nothing yet";
  while (Date.now() < end) {
    try {
      const value = await check();
      if (value !== undefined) return value;
    } catch (cause) {
      last = cause instanceof Error ? cause.message : String(cause);
    }
    await new Promise((wake) => setTimeout(wake, 1000));
  }
  throw new Error(`${what}: not true after ${seconds} s; last: ${last}`);
}

export interface NodeSummary {
  readonly name: string;
  readonly ready: boolean;
  readonly unschedulable: boolean;
  readonly version: string;
  readonly controlPlane: boolean;
  readonly address: string;
}

export interface DemoProject {
  readonly dir: string;
  demo(args: readonly string[], options?: RunOptions): Promise<Finished>;
  terraform(args: readonly string[], options?: RunOptions): Promise<Finished>;
  kubectl(args: readonly string[], options?: RunOptions): Promise<Finished>;
  nodes(): Promise<readonly NodeSummary[]>;
  /** Addresses in terraform's state that match. */
  addresses(match: RegExp): Promise<readonly string[]>;
  destroy(): Promise<void>;
}

export interface KubeNode {
  metadata: { name: string; labels?: Record<string, string> };
  spec: { unschedulable?: boolean };
  status: {
    conditions: { type: string; status: string }[];
    nodeInfo: { kubeletVersion: string };
    addresses: { type: string; address: string }[];
  };
}

export const summaryOf = (node: KubeNode): NodeSummary => ({
  name: node.metadata.name,
  ready: node.status.conditions.some((c) => c.type === "Ready" && c.status === "True"),
  unschedulable: node.spec.unschedulable === true,
  version: node.status.nodeInfo.kubeletVersion,
  controlPlane: node.metadata.labels?.["node-role.kubernetes.io/control-plane"] !== undefined,
  address: node.status.addresses.find((a) => a.type === "InternalIP")?.address ?? "",
});

/** `name` is the cluster's name; two projects of one name would fight over the same engine objects. */
export function demoProject(name: string): DemoProject {
  const dir = mkdtempSync(join(tmpdir(), `honest-${name}-`));
  const work = join(dir, ".honest", "demo");
  const env = { HONEST_DEMO_NAME: name };
  const stack = (): string => {
    const stacks = join(work, "cdktf.out", "stacks");
    const [first] = existsSync(stacks) ? readdirSync(stacks) : [];
    if (!first) throw new Error(`no synthesized stack below ${work}`);
    return join(stacks, first);
  };
  let kubeconfig: string | undefined;
  const project: DemoProject = {
    dir,
    demo: (args, options) => run(process.execPath, [cli, "demo", ...args], { cwd: dir, ...options, env: { ...env, ...options?.env } }),
    terraform: (args, options) => run("terraform", args, { cwd: stack(), ...options }),
    async kubectl(args, options) {
      if (!kubeconfig) {
        const made = await run(process.execPath, [cli, "kubeconfig"], { cwd: stack() });
        if (made.code !== 0) throw new Error(`honest-paas kubeconfig: ${made.stderr}`);
        kubeconfig = join(dir, "kubeconfig");
        const { writeFileSync } = await import("node:fs");
        writeFileSync(kubeconfig, made.stdout, { mode: 0o600 });
      }
      return run(join(work, "bin", "kubectl"), args, { ...options, env: { KUBECONFIG: kubeconfig, ...options?.env } });
    },
    async nodes() {
      const got = await project.kubectl(["get", "nodes", "-o", "json"]);
      if (got.code !== 0) throw new Error(got.stderr);
      return (JSON.parse(got.stdout) as { items: KubeNode[] }).items.map(summaryOf);
    },
    async addresses(match) {
      const listed = await project.terraform(["state", "list"]);
      if (listed.code !== 0) throw new Error(listed.stderr);
      return listed.stdout.split("\n").filter((line) => match.test(line));
    },
    async destroy() {
      const gone = await project.demo(["destroy"]);
      if (gone.code !== 0) throw new Error(`demo destroy: ${gone.stdout}\n${gone.stderr}`);
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return project;
}

/** What the engine and the kernel still hold of a cluster: must be empty after a destroy. */
export async function leftovers(cluster: string): Promise<readonly string[]> {
  const filter = ["--filter", `label=honest-paas.dev/cluster=${cluster}`];
  const rows: string[] = [];
  for (const [kind, args] of [
    ["container", ["ps", "-aq", ...filter]],
    ["volume", ["volume", "ls", "-q", ...filter]],
    ["network", ["network", "ls", "-q", ...filter]],
  ] as const) {
    const listed = await run("docker", args);
    if (listed.code !== 0) throw new Error(listed.stderr);
    rows.push(
      ...listed.stdout
        .split("\n")
        .filter(Boolean)
        .map((id) => `${kind} ${id}`),
    );
  }
  for (const device of readdirSync("/sys/block").filter((d) => d.startsWith("loop"))) {
    const backing = `/sys/block/${device}/loop/backing_file`;
    if (existsSync(backing) && readFileSync(backing, "utf8").includes(`/${cluster}`)) rows.push(`loop device ${device}`);
  }
  return rows;
}
