// Terraform of the demo: always under the keeper, one at a time, with its words turned into progress.
import { readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { UserError } from "../command.js";
import { runTerraform } from "../keeper/run.js";
import { followLines } from "../keeper/tail.js";
import type { Layout } from "./layout.js";
import { tellLine } from "./progress.js";

export interface TerraformRun {
  readonly program: string;
  readonly layout: Layout;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly code: number;
  readonly changes?: { readonly add: number; readonly change: number; readonly remove: number };
  readonly errors: readonly string[];
}

export async function terraform(run: TerraformRun, args: readonly string[]): Promise<Ran> {
  const errors: string[] = [];
  const plain: string[] = [];
  const warned = new Set<string>();
  let changes: Ran["changes"];
  const code = await runTerraform({
    program: run.program,
    folder: run.layout.stack,
    args,
    env: run.env,
    logFile: run.layout.log,
    say: run.note,
    signal: run.signal,
    started: (pid) => writeFileSync(run.layout.pid, String(pid)),
    line(text) {
      const told = tellLine(text);
      if (told?.kind === "changes") changes = told;
      else if (told?.kind === "error") errors.push(told.text);
      else if (told?.kind === "warning") {
        if (!warned.has(told.summary)) run.note(`warning: ${told.text}`);
        warned.add(told.summary);
      } else if (told?.kind === "note") run.note(told.text);
      else if (told) plain.push(told.text);
    },
  });
  rmSync(run.layout.pid, { force: true });
  if (code !== 0 && errors.length === 0) errors.push(...plain.slice(-25));
  return { code, errors, ...(changes ? { changes } : {}) };
}

export function check(ran: Ran, what: string, allowed: readonly number[] = [0]): void {
  if (allowed.includes(ran.code)) return;
  throw new UserError(`terraform ${what} ended with ${ran.code}:\n${ran.errors.join("\n\n")}`);
}

/** Process id of a terraform that an earlier, killed demo left at work in this stack. */
export function orphan(layout: Layout): number | undefined {
  try {
    const pid = Number(readFileSync(layout.pid, "utf8"));
    return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === layout.stack ? pid : undefined;
  } catch {
    // no record, no such process, or no /proc: terraform's own lock is what remains
    return undefined;
  }
}

/** It finishes by itself; interrupting it would only leave more to do. */
export async function awaitOrphan(layout: Layout, note: (line: string) => void, signal: AbortSignal): Promise<void> {
  const pid = orphan(layout);
  if (pid === undefined) return;
  note(`terraform of an earlier run (process ${pid}) is still at work; waiting for it`);
  const follow = followLines(layout.log, (text) => {
    const told = tellLine(text);
    if (told?.kind === "note") note(told.text);
  });
  try {
    while (orphan(layout) === pid) {
      signal.throwIfAborted();
      await new Promise((wake) => setTimeout(wake, 200));
    }
  } finally {
    await follow.stop();
  }
}

/** Before a destroy: one SIGINT, as a person would, then the end. */
export async function endOrphan(layout: Layout, note: (line: string) => void): Promise<void> {
  const pid = orphan(layout);
  if (pid === undefined) return;
  note(`interrupting terraform of an earlier run (process ${pid})`);
  process.kill(pid, "SIGINT");
  for (const end = Date.now() + 90_000; orphan(layout) === pid; ) {
    if (Date.now() > end) {
      process.kill(pid, "SIGKILL");
      return;
    }
    await new Promise((wake) => setTimeout(wake, 200));
  }
}
