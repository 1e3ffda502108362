// The first ctrl-C asks for an end, the second insists on one.

/** npm and npx pass on a ctrl-C that has reached us from the terminal already: one key, two signals. */
const sameKeyMs = 1_000;

export interface Interrupts {
  readonly signal: AbortSignal;
  readonly insist: AbortSignal;
  readonly press: () => void;
}

export function createInterrupts(now: () => number = Date.now): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  let at = 0;
  return {
    signal: first.signal,
    insist: second.signal,
    press() {
      if (first.signal.aborted && now() - at >= sameKeyMs) second.abort();
      if (first.signal.aborted) return;
      at = now();
      first.abort();
    },
  };
}
