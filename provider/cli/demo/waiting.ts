// What the provider says it waits for, from the file that it writes beside terraform's own output.

/** Where the provider is told to write; its own name for it is in provider/protocol/progress.ts. */
export const progressVariable = "HONEST_PAAS_PROGRESS";

/** The same reason of the same node is told again after that long. */
const againMs = 60_000;

interface Line {
  readonly message?: unknown;
  readonly node?: unknown;
  readonly cluster?: unknown;
}

export interface Teller {
  /** The line for a person; undefined when it says nothing new. */
  tell(line: string): string | undefined;
  /** Something was told within the last `ms`. */
  toldWithin(ms: number): boolean;
}

export function createTeller(now: () => number = Date.now): Teller {
  const last = new Map<string, { readonly message: string; readonly at: number }>();
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    tell(text) {
      const { message, node, cluster } = parse(text);
      if (typeof message !== "string" || message === "") return undefined;
      const who = [node, cluster].find((name): name is string => typeof name === "string");
      const before = last.get(who ?? "");
      if (before?.message === message && now() - before.at < againMs) return undefined;
      last.set(who ?? "", { message, at: now() });
      toldAt = now();
      return who === undefined ? message : `${who}: ${message}`;
    },
    toldWithin: (ms) => now() - toldAt < ms,
  };
}

/** Half a line of a provider that was killed is no line. */
function parse(text: string): Line {
  try {
    const data = JSON.parse(text) as Line | null;
    return data ?? {};
  } catch (cause) {
    if (cause instanceof SyntaxError) return {};
    throw cause;
  }
}
