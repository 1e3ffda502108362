// Short-lived containers that do on the engine's host what the engine's API cannot: loop devices.
import { randomBytes } from "node:crypto";
import { whileThere } from "./container-gone.js";
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import { splitFrames } from "./frames.js";
import { filterOf, type Labels, labelsOf, nameLabel } from "./labels.js";

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

interface Run {
  /** Tells helpers of this process from those of one that was killed. */
  readonly id: string;
  /** Names of its helpers that are still being waited for. */
  readonly awaited: Set<string>;
}
const runOf = (core: Core): Promise<Run> =>
  core.once("helper-run", async () => ({ id: randomBytes(5).toString("hex"), awaited: new Set<string>() }));
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
    const abandoned =
      helper.Labels?.[runLabel] === run.id
        ? !run.awaited.has(helper.Labels[nameLabel] ?? "")
        : // A process beside this one may be between two calls for its own. Whoever loses one all the same runs it again.
          seconds > (helper.State === "running" ? 120 : 2);
    if (abandoned) await core.drop(`/containers/${helper.Id}`, { force: true, v: true });
  }
}

/** null when the container was taken away before it had told its end. */
async function runOnce(core: Core, name: string, task: HelperTask): Promise<HelperResult | null> {
  await core.json(`/containers/create`, {
    method: "POST",
    query: { name },
    json: {
      Image: task.image,
      Entrypoint: ["/bin/sh", "-c", task.script, "helper"],
      Cmd: task.args ?? [],
      Labels: labelsOf(task.cluster, "helper", name, { [nameLabel]: name, [runLabel]: (await runOf(core)).id }),
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
    return await whileThere(core, name, async () => {
      await (await core.call(`/containers/${name}/start`, { method: "POST" })).bytes();
      const { StatusCode } = await core.json<{ StatusCode: number }>(`/containers/${name}/wait`, { method: "POST", headTimeoutMs: 0 });
      const logs = await core.call(`/containers/${name}/logs`, { query: { stdout: true, stderr: true } });
      return { code: StatusCode, ...splitFrames(await logs.bytes()) };
    });
  } finally {
    // Also when the caller was stopped: its own signal would leave the helper behind.
    await core.withSignal(AbortSignal.timeout(15_000)).drop(`/containers/${name}`, { force: true, v: true });
  }
}

const attempts = 3;

/** Its script must bear being run again: another process, or a person who tidies up, may take the container away. */
export async function runHelper(core: Core, task: HelperTask): Promise<HelperResult> {
  await sweepHelpers(core, task.cluster);
  const { awaited } = await runOf(core);
  for (let n = 0; n < attempts; n++) {
    const name = `${task.cluster}-helper-${randomBytes(5).toString("hex")}`;
    awaited.add(name);
    try {
      const done = await runOnce(core, name, task);
      if (done) return done;
    } finally {
      awaited.delete(name);
    }
  }
  throw new EngineError("answer", {
    what: "A helper container was taken away",
    detail: `${attempts} containers one after the other, named ${task.cluster}-helper-…, were removed from ${core.host} before they had ended.`,
    fix: "See who removes containers there (docker events --filter event=destroy), and run the same command again.",
  });
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
