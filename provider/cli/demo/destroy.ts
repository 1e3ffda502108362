// honest-paas demo destroy: nothing may be left, whatever state the demo is in. terraform first, because it knows the
// order; then whatever the engine still has under the cluster's label.
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Io } from "../command.js";
import { localStatePath } from "../keeper/state-path.js";
import { findTerraform } from "../terraform/find.js";
import { existingEngine, stopOwnEngine } from "./engine.js";
import { hostOf } from "./host.js";
import type { Layout } from "./layout.js";
import { ensureTerraform } from "./program.js";
import { createStages } from "./stages.js";
import { endOrphan, terraform } from "./terraform.js";

const names = ["terraform", "leftovers", "files"] as const;

/** A destroy that waits for machines that will never answer is cut; the engine's own removal does not ask them. */
const limitMs = 5 * 60_000;

export async function destroyDemo(layout: Layout, io: Io, allowed: boolean): Promise<number> {
  const print = (line: string): void => io.out(`${line}\n`);
  const stages = createStages(names, print);
  const { env, signal } = io;
  print(`honest-paas demo destroy: cluster "${layout.name}"`);
  const engine = await existingEngine({ env, host: hostOf(allowed), note: print, signal });
  try {
    await stages.run("terraform", async (note) => {
      await endOrphan(layout, note);
      const state = existsSync(layout.stack) ? localStatePath(layout.stack) : undefined;
      if (!engine || !state || !(existsSync(state) || existsSync(`${state}.good`)) || !existsSync(join(layout.stack, ".terraform")))
        return { summary: engine ? "nothing was applied" : "no engine, so no machines", value: undefined };
      const program = (await findTerraform(env)).program ?? (await ensureTerraform(env, allowed, note, signal));
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      const args = ["destroy", "-json", "-auto-approve", "-input=false", "-lock-timeout=2m"];
      const ran = await terraform({ program: program.path, layout, env, note, signal: limit }, args);
      signal.throwIfAborted();
      if (ran.code === 0) return { summary: "destroyed", value: undefined };
      for (const line of ran.errors) note(line);
      return { summary: "could not destroy everything; the engine removes the rest", value: undefined };
    });
    await stages.run("leftovers", async () => {
      if (!engine) return { summary: "none", value: undefined };
      const removed = await engine.withSignal(signal).removeOwned(layout.name);
      const left = await engine.withSignal(signal).listOwned(layout.name);
      if (left.length > 0) throw new Error(`the engine keeps ${left.map((o) => `${o.type} ${o.name}`).join(", ")}`);
      return { summary: removed.length ? `removed ${removed.map((o) => `${o.type} ${o.name}`).join(", ")}` : "none", value: undefined };
    });
    await stages.run("files", async (note) => {
      rmSync(layout.folder, { recursive: true, force: true });
      const stopped = engine ? await stopOwnEngine(engine, note) : false;
      return { summary: `.honest/demo is removed${stopped ? ", the engine that the demo started is stopped" : ""}`, value: undefined };
    });
  } finally {
    await engine?.close();
  }
  print(`Nothing of cluster "${layout.name}" is left.`);
  // only when nothing else is in it; the lock is ours and still there
  const parent = dirname(layout.folder);
  if (existsSync(parent) && readdirSync(parent).length === 0) rmdirSync(parent);
  return 0;
}
