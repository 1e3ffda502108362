// One bounded loop for everything that waits: it stops when Terraform says so, survives an API that is away for a while,
// and gives up on an answer that will not change.
import { type Failure, failed, type Outcome, ok, stopped, timedOut } from "./outcome.js";

export interface PollOptions {
  /** For messages: "waiting for demo-cp-a". */
  readonly what: string;
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** @default 1000 */
  readonly everyMs?: number;
  /** Told what is waited for and why, each time the reason changes and at least every 15 seconds. */
  readonly progress?: (reason: string) => void;
}
/** What one look found: done, or why not yet. */
export type Look<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly reason: string };

export const done = <T>(value: T): Look<T> => ({ done: true, value });
export const notYet = (reason: string): { readonly done: false; readonly reason: string } => ({ done: false, reason });

/** True for what may pass by itself: no answer, an overloaded or starting API, a lost race. */
export const isTransient = (failure: Failure): boolean =>
  failure.kind === "unreachable" ||
  (failure.kind === "status" && (failure.status >= 500 || failure.status === 429 || failure.status === 409));

/** The text of a time-out, and of a stop, ends with the last reason. */
export async function poll<T>(look: () => Promise<Outcome<Look<T>>>, options: PollOptions): Promise<Outcome<T>> {
  let told = "";
  let toldAt = 0;
  // whoever ends a wait by ctrl-C is told what it waited for
  const ended = () => stopped(told ? `${options.what}: ${told}` : options.what);
  for (;;) {
    if (options.signal.aborted) return ended();
    const seen = await look();
    if (!seen.ok && seen.failure.kind === "stopped") return ended();
    if (seen.ok && seen.value.done) return ok(seen.value.value);
    if (!seen.ok && !isTransient(seen.failure)) return failed(seen.failure);
    const reason = seen.ok ? (seen.value as { reason: string }).reason : seen.failure.message;
    if (reason !== told || Date.now() - toldAt > 15_000) {
      options.progress?.(`${options.what}: ${reason}`);
      told = reason;
      toldAt = Date.now();
    }
    if (Date.now() + (options.everyMs ?? 1_000) > options.deadline) return timedOut(`timed out ${options.what}: ${reason}`);
    await sleep(options.everyMs ?? 1_000, options.signal);
  }
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
  });
}
