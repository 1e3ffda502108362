// A command of the tool. Lives here: how commands talk to the outside. A command gets everything through Io, so that
// tests run it without a process; it says problems by throwing UserError, anything else thrown is a bug and is shown so.

export interface Io {
  /** What the user asked for: goes into the pipe. */
  readonly out: (text: string) => void;
  /** What is said about it. */
  readonly say: (line: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by the first ctrl-C. */
  readonly signal: AbortSignal;
  /** Aborted by the second one. Left out = there is no second one. */
  readonly insist?: AbortSignal;
  /** Puts a question to the person at the terminal. undefined, or left out = nobody is there to be asked. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Standard output is a screen and no pipe or file. */
  readonly terminal: boolean;
}

export interface Flag {
  readonly name: string;
  /** Name of the value in the help; left out = a switch. */
  readonly value?: string;
  readonly many?: boolean;
  readonly help: string;
}

export type FlagValues = Readonly<Record<string, readonly string[]>>;

export interface Command {
  /** Words behind "honest-paas": "mirror build". */
  readonly name: string;
  readonly summary: string;
  /** Paragraphs below the usage. */
  readonly details?: readonly string[];
  readonly flags: readonly Flag[];
  /** Not in the list of commands: called by programs. */
  readonly hidden?: boolean;
  run(flags: FlagValues, io: Io): Promise<number>;
}

/** What is wrong and how to mend it; shown without a stack. */
export class UserError extends Error {}

export const first = (flags: FlagValues, name: string): string | undefined => flags[name]?.[0];
export const has = (flags: FlagValues, name: string): boolean => flags[name] !== undefined;

/** A whole number within bounds, or the default when the flag is not there. */
export function wholeNumber(flags: FlagValues, name: string, bounds: { min: number; max: number; otherwise: number }): number {
  const text = first(flags, name);
  if (text === undefined) return bounds.otherwise;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < bounds.min || number > bounds.max)
    throw new UserError(`--${name} is "${text}". Allowed: a whole number, ${bounds.min} to ${bounds.max}.`);
  return number;
}
