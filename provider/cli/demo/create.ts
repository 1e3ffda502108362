// The demo's stages, in order. Each may be cut at any point; the next run begins at the first that has something to do.
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { createEngine, type Engine } from "../../engine/engine.js";
import { EngineError } from "../../engine/error.js";
import { isNoSpace, wordNoSpace } from "../../engine/free-space.js";
import { buildMirror, mirroredBinary } from "../../mirror/build.js";
import { cacheRoot } from "../../mirror/cache.js";
import { ensureMachineImage, machineImageTag } from "../../mirror/machine-image.js";
import { type Components, componentsOf } from "../../mirror/versions.js";
import { type FlagValues, has, type Io, UserError, wholeNumber } from "../command.js";
import { kubeconfigText } from "../kubeconfig/command.js";
import { nodesReady, openCluster } from "./cluster.js";
import { calledAs } from "./command.js";
import { ensureEngine } from "./engine.js";
import { ensureBuilders, hostOf, raiseInotify } from "./host.js";
import type { Layout } from "./layout.js";
import { tryMachineTroubles } from "./machines.js";
import { readProgress } from "./mirror-progress.js";
import { ensureTerraform } from "./program.js";
import { defaultWait, readSettings, type Settings, settingsFrom, writeSettings } from "./settings.js";
import { engineHost, engineNeeds, goNeed, mirrorNeed, refuseShortage, sizes } from "./space.js";
import { createStages, seconds } from "./stages.js";
import { synthesize } from "./synth.js";
import { awaitOrphan, check, type TerraformRun, terraform } from "./terraform.js";
import { proveWorkload } from "./workload.js";

const names = ["engine", "artefacts", "image", "init", "plan", "apply", "nodes", "workload"] as const;

/** An upgrade moves one machine an apply; more rounds than machines means that something holds it. */
const mostRounds = 24;

function linkKubectl(target: string, link: string): void {
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(target, link);
}

function components(version: string): Components {
  const found = componentsOf(version);
  if (!found) throw new UserError(`Kubernetes ${version} is not in the version table.`);
  return found;
}

/** Refused before anything is installed, started or made. */
async function checkSpace(parts: Components, cluster: string, env: Io["env"], building: boolean): Promise<void> {
  const engine = createEngine(engineHost(env));
  try {
    const needs = [await mirrorNeed(parts), ...(await engineNeeds(engine, parts, cluster))];
    refuseShortage(building ? [...needs, await goNeed(env)] : needs);
  } finally {
    await engine.close();
  }
}

/** A stage that waits for machines: its error ends with what those say that are not ready. */
async function withMachines<T>(engine: Engine, cluster: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof UserError) || signal.aborted) throw cause;
    const lines = await tryMachineTroubles(engine, cluster);
    throw lines.length > 0 ? new UserError([cause.message, "", ...lines].join("\n"), { cause }) : cause;
  }
}

export async function createDemo(flags: FlagValues, layout: Layout, io: Io, allowed: boolean): Promise<number> {
  const print = (line: string): void => io.out(`${line}\n`);
  const begun = Date.now();
  const before = readSettings(layout.settings);
  const wanted = settingsFrom(flags, before);
  mkdirSync(layout.folder, { recursive: true, mode: 0o700 });
  const count = `${wanted.controlPlanes} control plane${wanted.controlPlanes > 1 ? "s" : ""}, ${wanted.workers} worker${wanted.workers === 1 ? "" : "s"}`;
  print(`honest-paas demo: cluster "${layout.name}", Kubernetes ${wanted.version}, ${count}`);
  const stages = createStages(names, print);
  const host = hostOf(allowed);
  const { signal, env } = io;
  const parts = components(wanted.version);
  const limitMs = 1000 * wholeNumber(flags, "wait", { min: 1, max: 3600, otherwise: defaultWait });
  const space = (building: boolean): Promise<void> =>
    has(flags, "no-space-check") ? Promise.resolve() : checkSpace(parts, layout.name, env, building);

  const engine = await stages.run("engine", async (note) => {
    await space(false);
    const found = await ensureEngine({ env, host, note, signal });
    if (found.engine.host.startsWith("unix:")) raiseInotify(host, note);
    const { engineVersion, cgroupVersion } = found.probe;
    return { summary: `Docker ${engineVersion}, cgroup v${cgroupVersion}, ${found.engine.host}`, value: found.engine };
  });
  try {
    const tag = machineImageTag(wanted.version);
    await stages.run("artefacts", async (note) => {
      const prepare = () => ensureBuilders(host, note, signal);
      const beforeBuild = () => space(true);
      const log = readProgress(note);
      const built = await buildMirror({ versions: [parts], source: "auto", root: cacheRoot(), prepare, beforeBuild, log, signal });
      const kubectl = await mirroredBinary(parts, "kubectl");
      if (kubectl) linkKubectl(kubectl, layout.kubectl);
      return { summary: `Kubernetes ${wanted.version} in ${built.folder}`, value: undefined };
    });
    await stages.run("image", async (note) => {
      const prepare = () => ensureBuilders(host, note, signal);
      try {
        await ensureMachineImage({ engine, tag, root: cacheRoot(), prepare, log: readProgress(note), signal });
      } catch (cause) {
        // the engine's own disk: the words of a full cache come from main.ts
        throw cause instanceof EngineError && isNoSpace(cause) ? await wordNoSpace(engine, cause, sizes.image) : cause;
      }
      return { summary: tag, value: undefined };
    });
    const changed = await withMachines(engine, layout.name, signal, () => provision(stages, layout, wanted, io, allowed));
    const client = await openCluster(layout.stack, layout.name, env);
    try {
      await withMachines(engine, layout.name, signal, () =>
        stages.run("nodes", async (note) => {
          const nodes = await nodesReady(client, wanted, { limitMs, signal, note });
          return { summary: `${nodes.length} Ready: ${nodes.map((n) => n.name).join(", ")}`, value: undefined };
        }),
      );
      const image = `registry.k8s.io/e2e-test-images/agnhost:${parts.agnhost}`;
      await stages.run("workload", async () => ({
        summary: await proveWorkload(client, { image, workers: wanted.workers, limitMs, signal }),
        value: undefined,
      }));
    } finally {
      await client.close();
    }
    writeFileSync(layout.kubeconfig, await kubeconfigText(layout.stack, io), { mode: 0o600 });
    print("");
    print(stages.times.map(({ name, ms }) => `${name} ${seconds(ms)}`).join(" · "));
    print(`${changed ? "Done" : "No changes"}: cluster "${layout.name}" works (${seconds(Date.now() - begun)} in all).`);
    for (const line of usage(layout, io, wanted)) print(line);
    return 0;
  } finally {
    await engine.close();
  }
}

/** init, plan, apply; true when anything changed. */
async function provision(
  stages: ReturnType<typeof createStages>,
  layout: Layout,
  wanted: Settings,
  io: Io,
  allowed: boolean,
): Promise<boolean> {
  const { signal, env } = io;
  const run = (program: string, note: (line: string) => void): TerraformRun => ({ program, layout, env, note, signal });
  const program = await stages.run("init", async (note) => {
    const found = await ensureTerraform(env, allowed, note, signal);
    await awaitOrphan(layout, note, signal);
    await synthesize(layout, wanted, env);
    // written before anything is made, so that a run without flags goes on with what this one wanted
    writeSettings(layout.settings, wanted);
    check(await terraform(run(found.path, note), ["init", "-no-color", "-input=false"]), "init");
    return { summary: `${found.name} ${found.version}`, value: found.path };
  });
  const plan = () =>
    stages.run("plan", async (note) => {
      const args = ["plan", "-json", "-input=false", "-detailed-exitcode", "-lock-timeout=10m", `-out=${layout.plan}`];
      const ran = await terraform(run(program, note), args);
      check(ran, "plan", [0, 2]);
      const { add = 0, change = 0, remove = 0 } = ran.changes ?? {};
      return { summary: ran.code === 0 ? "no changes" : `${add} to add, ${change} to change, ${remove} to remove`, value: ran.code === 2 };
    });
  const apply = () =>
    stages.run("apply", async (note) => {
      try {
        check(await terraform(run(program, note), ["apply", "-json", "-input=false", "-lock-timeout=10m", layout.plan]), "apply");
      } finally {
        // a plan holds what the state holds
        rmSync(layout.plan, { force: true });
      }
      return { summary: "applied", value: undefined };
    });

  const fresh = !existsSync(`${layout.folder}/terraform.${layout.name}.tfstate`);
  let changed = false;
  for (let round = 0; await plan(); round += 1) {
    if (round === mostRounds)
      throw new UserError(`The plan is not empty after ${mostRounds} applies. Look at ${relative(io.cwd, layout.log)}.`);
    await apply();
    changed = true;
    // what was made in one piece has nothing to roll; a cluster that was there may take more than one apply
    if (fresh) break;
  }
  rmSync(layout.plan, { force: true });
  return changed;
}

function usage(layout: Layout, io: Io, wanted: Settings): readonly string[] {
  const demo = calledAs(io.env);
  return [
    "",
    "Use it:",
    `  export KUBECONFIG=${layout.kubeconfig}`,
    `  ${relative(io.cwd, layout.kubectl)} get nodes`,
    `Scale it:    ${demo} --workers ${wanted.workers + 1}`,
    `Look inside: ${relative(io.cwd, layout.stack)} is an ordinary Terraform stack`,
    `Destroy it:  ${demo} destroy`,
  ];
}
