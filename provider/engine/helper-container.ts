// Short-lived containers that do on the engine's host what the engine's API cannot: loop devices.
import { randomBytes } from "node:crypto";
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import { splitFrames } from "./frames.js";
import { filterOf, type Labels, labelsOf } from "./labels.js";

export interface HelperTask {
  readonly cluster: string;
  readonly image: string;
  /** Shell script; its arguments follow. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Volume name → folder in the helper. */
  readonly volumes?: Readonly<Record<string, string>>;
}

export interface HelperResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Tells helpers of this process from those of one that was killed. */
const runOf = (core: Core): Promise<string> => core.once("helper-run", async () => randomBytes(5).toString("hex"));
const runLabel = "honest-paas.dev/run";

interface Row {
  readonly Id: string;
  readonly Created: number;
  readonly State: string;
  readonly Labels: Labels | null;
}

/** Removes helpers that nobody waits for: those of runs that were killed or lost the engine. */
export async function sweepHelpers(core: Core, cluster: string): Promise<void> {
  const run = await runOf(core);
  const helpers = await core.json<readonly Row[]>("/containers/json", { query: { all: true, filters: filterOf(cluster, "helper") } });
  for (const helper of helpers) {
    const seconds = Date.now() / 1000 - helper.Created;
    // A process beside this one may be between two calls for its own; none of them takes long.
    const abandoned = helper.State !== "running" && helper.Labels?.[runLabel] !== run && seconds > 2;
    if (abandoned || seconds > 120) await core.drop(`/containers/${helper.Id}`, { force: true, v: true });
  }
}

export async function runHelper(core: Core, task: HelperTask): Promise<HelperResult> {
  await sweepHelpers(core, task.cluster);
  const name = `${task.cluster}-helper-${randomBytes(5).toString("hex")}`;
  await core.json(`/containers/create`, {
    method: "POST",
    query: { name },
    json: {
      Image: task.image,
      Entrypoint: ["/bin/sh", "-c", task.script, "helper"],
      Cmd: task.args ?? [],
      Labels: labelsOf(task.cluster, "helper", name, { [runLabel]: await runOf(core) }),
      HostConfig: {
        NetworkMode: "none",
        CapAdd: ["SYS_ADMIN", "MKNOD"],
        SecurityOpt: ["seccomp=unconfined", "apparmor=unconfined"],
        DeviceCgroupRules: ["b *:* rwm", "c 10:237 rwm"],
        // The host's own /dev: a loop device that the kernel makes meanwhile must show up.
        Binds: ["/dev:/dev", ...Object.entries(task.volumes ?? {}).map(([volume, folder]) => `${volume}:${folder}`)],
      },
    },
  });
  try {
    await (await core.call(`/containers/${name}/start`, { method: "POST" })).bytes();
    const { StatusCode } = await core.json<{ StatusCode: number }>(`/containers/${name}/wait`, { method: "POST", headTimeoutMs: 0 });
    const logs = await core.call(`/containers/${name}/logs`, { query: { stdout: true, stderr: true } });
    return { code: StatusCode, ...splitFrames(await logs.bytes()) };
  } finally {
    // Also when the caller was stopped: its own signal would leave the helper behind.
    await core.withSignal(AbortSignal.timeout(15_000)).drop(`/containers/${name}`, { force: true, v: true });
  }
}

/** Runs it and throws when it fails. */
export async function mustHelp(core: Core, what: string, task: HelperTask): Promise<string> {
  const done = await runHelper(core, task);
  if (done.code === 0) return done.stdout;
  throw new EngineError("answer", {
    what,
    detail: (done.stderr || done.stdout).trim() || `The helper container ended with code ${done.code}.`,
    fix: "See that the engine's host has the loop module and free space (losetup -a; df).",
  });
}
