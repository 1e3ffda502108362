// What a call to a cluster ends in. The difference between "nobody answered" and "it answered no" decides whether state
// is kept, so it is a type and not a text: nothing in this folder turns an unreachable API into a missing object.

/** Nobody answered: refused, timed out, no route, or the other side's certificate is not the cluster's. */
export interface Unreachable {
  readonly kind: "unreachable";
  readonly message: string;
}
/** The API answered with a status that is not a success. */
export interface Refused {
  readonly kind: "status";
  readonly status: number;
  /** Kubernetes' own word: "NotFound", "Conflict", "TooManyRequests". */
  readonly reason: string;
  readonly message: string;
  /** Seconds, from Retry-After. */
  readonly retryAfterSec?: number;
}
/** Terraform asked to stop. */
export interface Stopped {
  readonly kind: "stopped";
  readonly message: string;
}
/** A bounded wait ended. */
export interface TimedOut {
  readonly kind: "timeout";
  readonly message: string;
}
export type Failure = Unreachable | Refused | Stopped | TimedOut;

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failed = (failure: Failure): { readonly ok: false; readonly failure: Failure } => ({ ok: false, failure });
export const stopped = (what: string): { readonly ok: false; readonly failure: Failure } =>
  failed({ kind: "stopped", message: `stopped while ${what}` });
export const timedOut = (message: string): { readonly ok: false; readonly failure: Failure } => failed({ kind: "timeout", message });

export const isNotFound = (failure: Failure): boolean => failure.kind === "status" && failure.status === 404;
export const isConflict = (failure: Failure): boolean => failure.kind === "status" && failure.status === 409;

/** One sentence for a user. */
export function wordFailure(failure: Failure): string {
  switch (failure.kind) {
    case "unreachable":
      return `the Kubernetes API does not answer: ${failure.message}`;
    case "status":
      return `the Kubernetes API answered ${failure.status} ${failure.reason}: ${failure.message}`;
    case "stopped":
    case "timeout":
      return failure.message;
    default:
      return failure satisfies never;
  }
}
