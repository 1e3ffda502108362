// Runs work in the order that it asks for, a few at a time. What fails holds up what comes after it and nothing else.

export interface Step<T> {
  readonly id: string;
  readonly after: readonly string[];
  readonly run: () => Promise<T>;
}
export interface WalkOptions<T> {
  /** Most steps at a time. @default 10 */
  readonly limit?: number;
  /** Aborted: nothing new begins, what runs is waited for. */
  readonly signal?: AbortSignal;
  /** Whether the steps that come after this one may run. */
  readonly good: (result: T) => boolean;
}
export interface Walked<T> {
  /** In the order in which they ended. */
  readonly done: readonly { readonly id: string; readonly result: T }[];
  /** Ids of steps that never began, since one before them failed or the walk was stopped. */
  readonly skipped: readonly string[];
}

export async function walk<T>(steps: readonly Step<T>[], { limit = 10, signal, good }: WalkOptions<T>): Promise<Walked<T>> {
  const waiting = new Map(steps.map((step) => [step.id, step]));
  const known = new Set(waiting.keys());
  const passed = new Set<string>();
  const done: { id: string; result: T }[] = [];
  const running = new Map<string, Promise<void>>();
  const ready = (step: Step<T>): boolean => step.after.every((id) => passed.has(id) || !known.has(id));

  const begin = (step: Step<T>): void => {
    waiting.delete(step.id);
    const ended = step.run().then((result) => {
      done.push({ id: step.id, result });
      if (good(result)) passed.add(step.id);
      running.delete(step.id);
    });
    running.set(step.id, ended);
  };
  for (;;) {
    if (!signal?.aborted) for (const step of [...waiting.values()]) if (running.size < limit && ready(step)) begin(step);
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  const skipped = [...waiting.keys()];
  if (done.length === 0 && skipped.length > 0 && !signal?.aborted) throw new TypeError(`these wait for each other: ${skipped.join(", ")}`);
  return { done, skipped };
}
