// The journal as data: what was begun, what came of it, what is open. A line is JSON; no value of any object stands in it but
// its id.
import type { Action, Outcome } from "./instance-types.js";
import type { ProcessIdentity } from "./process-identity.js";

export interface Intent {
  /** Pairs it with its outcome; unique within the file. */
  readonly n: number;
  readonly address: string;
  readonly type: string;
  readonly action: Exclude<Action, "no-op" | "replace">;
  /** Digest of the configuration: an object made of another one is not adopted as if it were of this one. */
  readonly hash: string;
  /** Of the object that is changed or destroyed. */
  readonly id: string | null;
  /** Who carries it out: ended before its work is looked for. */
  readonly vendor: ProcessIdentity | null;
  readonly at: string;
}

export interface Result {
  readonly n: number;
  /** "unknown" leaves the intent open. */
  readonly outcome: Outcome;
  readonly id: string | null;
}

export type Entry = { readonly intent: Intent } | { readonly result: Result };

/** Something that may exist although no state says so. */
export interface Open {
  readonly intent: Intent;
  /** Known when the vendor answered and only the state was never written. */
  readonly id: string | null;
}

/** A torn last line was never finished, so what it announces was not begun: intents are on disk before their call. */
export function parseJournal(text: string): readonly Entry[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const whole = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Entry);
  return last === "" ? whole : [...whole, ...readTorn(last)];
}

function readTorn(line: string): readonly Entry[] {
  try {
    // whole, but for its line break
    return [JSON.parse(line) as Entry];
  } catch (cause) {
    if (cause instanceof SyntaxError) return [];
    throw cause;
  }
}

/**
 * By address, what the last word about it leaves open. A create that is done stays here until a state knows its id: the
 * answer to Terraform may have been lost.
 */
export function openOperations(entries: readonly Entry[]): ReadonlyMap<string, Open> {
  const results = new Map<number, Result>();
  for (const entry of entries) if ("result" in entry) results.set(entry.result.n, entry.result);
  const open = new Map<string, Open>();
  for (const entry of entries) {
    if (!("intent" in entry)) continue;
    const { intent } = entry;
    const result = results.get(intent.n);
    const outcome = result?.outcome ?? "unknown";
    const id = result?.id ?? intent.id;
    if (intent.action === "delete" && outcome === "done") open.delete(intent.address);
    else if (intent.action === "create" && outcome === "failed" && id === null) open.delete(intent.address);
    else open.set(intent.address, { intent, id });
  }
  return open;
}
