// What lives here: the one error class of the engine. Callers at the border (provider/resources, the CLI) turn it into
// their own words; nothing else is thrown on purpose.

/**
 * - unreachable: nobody answers at the engine's address. Never means that an object is gone.
 * - answer: the engine answered with an error; `status` is its HTTP status.
 * - refused: we refuse on our own account (foreign object, mounted disk, port in use).
 * - stopped: the caller's signal was raised.
 */
export type EngineErrorKind = "unreachable" | "answer" | "refused" | "stopped";

export interface EngineErrorParts {
  /** What is wrong, in a few words: the title of a diagnostic. */
  readonly what: string;
  /** Sentences: where, what was got. */
  readonly detail?: string;
  /** One sentence: how to put it right. */
  readonly fix?: string;
  readonly status?: number;
  readonly cause?: unknown;
}

export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly what: string;
  readonly detail: string;
  readonly fix: string | undefined;
  readonly status: number | undefined;

  constructor(
    readonly kind: EngineErrorKind,
    parts: EngineErrorParts,
  ) {
    super([parts.what, parts.detail].filter(Boolean).join(": "), { cause: parts.cause });
    this.what = parts.what;
    this.detail = parts.detail ?? "";
    this.fix = parts.fix;
    this.status = parts.status;
  }
}

export const refused = (what: string, detail: string, fix: string): EngineError => new EngineError("refused", { what, detail, fix });

export const hasStatus = (cause: unknown, ...status: readonly number[]): cause is EngineError =>
  cause instanceof EngineError && cause.status !== undefined && status.includes(cause.status);
