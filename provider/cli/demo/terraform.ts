// Terraform of a stack: always under the keeper, one at a time, with its words turned into progress.
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../command.js";
import { runTerraform } from "../keeper/run.js";
import { followLines, type Tail } from "../keeper/tail.js";
import type { Layout } from "./layout.js";
import { tellLine } from "./progress.js";
import { createTeller, progressVariable, type Teller } from "./waiting.js";

/** Where a stack lies and its terraform's output and process id are kept. */
export type RunFiles = Pick<Layout, "stack" | "log" | "pid" | "progress">;

export interface TerraformRun {
  readonly program: string;
  readonly layout: RunFiles;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As in KeeperOptions. */
  readonly stackOf?: "kit" | "user";
  readonly note: (line: string) => void;
  /** Hears each warning; a summary may come several times. @default a note for each summary */
  readonly warned?: (warning: { readonly summary: string; readonly text: string }) => void;
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly code: number;
  readonly changes?: { readonly add: number; readonly change: number; readonly remove: number };
  /** At least one when the code is neither 0 nor what the caller takes for good. */
  readonly errors: readonly string[];
}

export async function terraform(run: TerraformRun, args: readonly string[]): Promise<Ran> {
  const errors: string[] = [];
  const plain: string[] = [];
  const warned = run.warned ?? noteOnce(run.note);
  let changes: Ran["changes"];
  const progress = emptyProgress(run.layout);
  const waiting = createTeller();
  const follow = followProgress(progress, waiting, run.note);
  const code = await runTerraform({
    program: run.program,
    folder: run.layout.stack,
    args,
    env: { ...run.env, [progressVariable]: progress },
    ...(run.stackOf ? { stackOf: run.stackOf } : {}),
    logFile: run.layout.log,
    say: run.note,
    signal: run.signal,
    started: (pid) => writeFileSync(run.layout.pid, String(pid)),
    line(text) {
      const told = tellLine(text);
      if (told?.kind === "changes") changes = told;
      else if (told?.kind === "error") errors.push(told.text);
      else if (told?.kind === "warning") warned(told);
      else if (told?.kind === "note") noteUnlessTold(told.text, waiting, run.note);
      else if (told) plain.push(told.text);
    },
  }).finally(() => follow.stop());
  rmSync(run.layout.pid, { force: true });
  if (code !== 0 && errors.length === 0) errors.push(plain.slice(-25).join("\n") || `terraform ${args[0]} ended with ${code}`);
  return { code, errors, ...(changes ? { changes } : {}) };
}

/** Each summary once: every machine says the same of its pool. */
function noteOnce(note: (line: string) => void): NonNullable<TerraformRun["warned"]> {
  const told = new Set<string>();
  return ({ summary, text }) => {
    if (!told.has(summary)) note(`warning: ${text}`);
    told.add(summary);
  };
}

/** The file that the provider writes its progress into, new for each run. */
function emptyProgress({ progress }: RunFiles): string {
  mkdirSync(dirname(progress), { recursive: true, mode: 0o700 });
  writeFileSync(progress, "", { mode: 0o600 });
  return progress;
}

const followProgress = (path: string, waiting: Teller, note: (line: string) => void): Tail =>
  followLines(path, (text) => {
    const line = waiting.tell(text);
    if (line !== undefined) note(line);
  });

/** "still at …" says nothing where the provider has just said what it waits for. */
function noteUnlessTold(text: string, waiting: Teller, note: (line: string) => void): void {
  if (!text.startsWith("still at") || !waiting.toldWithin(30_000)) note(text);
}

export function check(ran: Ran, what: string, allowed: readonly number[] = [0]): void {
  if (allowed.includes(ran.code)) return;
  throw new UserError(`terraform ${what} ended with ${ran.code}:\n${ran.errors.join("\n\n")}`);
}

/** Process id of a terraform that an earlier, killed demo left at work in this stack. */
export function orphan(layout: RunFiles): number | undefined {
  try {
    const pid = Number(readFileSync(layout.pid, "utf8"));
    return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === layout.stack ? pid : undefined;
  } catch {
    // no record, no such process, or no /proc: terraform's own lock is what remains
    return undefined;
  }
}

/** It finishes by itself; interrupting it would only leave more to do. */
export async function awaitOrphan(layout: RunFiles, note: (line: string) => void, signal: AbortSignal): Promise<void> {
  const pid = orphan(layout);
  if (pid === undefined) return;
  note(`terraform of an earlier run (process ${pid}) is still at work; waiting for it`);
  const waiting = createTeller();
  const follow = followLines(layout.log, (text) => {
    const told = tellLine(text);
    if (told?.kind === "note") noteUnlessTold(told.text, waiting, note);
  });
  const progress = existsSync(layout.progress) ? followProgress(layout.progress, waiting, note) : undefined;
  try {
    while (orphan(layout) === pid) {
      signal.throwIfAborted();
      await new Promise((wake) => setTimeout(wake, 200));
    }
  } finally {
    await follow.stop();
    await progress?.stop();
  }
}

/** Before a destroy: one SIGINT, as a person would, then the end. */
export async function endOrphan(layout: RunFiles, note: (line: string) => void): Promise<void> {
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
