// One engine per provider process, and the way from its errors to what Terraform is told. An engine that does not answer
// is an error of an apply and a warning of a read: it never means that something is gone.
import { createEngine, defaultHost, type Engine } from "../../engine/engine.js";
import { EngineError } from "../../engine/error.js";
import { isNoSpace, wordNoSpace } from "../../engine/free-space.js";
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import type { Context, StateResponse } from "../../framework/resource.js";
import type { ObjectValue } from "../../framework/value.js";
import { text, timeoutMs } from "../cluster/decode.js";

const hostOf = (context: Context): string => text(context.config.docker_host) || process.env.DOCKER_HOST || defaultHost;

const engineOf = (context: Context): Engine => {
  const host = hostOf(context);
  return context.once(`engine:${host}`, () => createEngine(host)).withSignal(context.signal);
};

/** What happened as a diagnostic: where, got, how to put it right. */
export function wordEngineError(cause: EngineError, subject: string): Diagnostic {
  const sentence = cause.detail === "" ? "" : /[.!?)]$/.test(cause.detail) ? cause.detail : `${cause.detail}.`;
  return error(cause.what, [`${subject}: ${sentence}`, cause.fix].filter(Boolean).join(" "));
}

type Limited = {
  readonly verb: "create" | "update" | "delete";
  readonly fallback: string;
  readonly resource: ObjectValue;
  /** Bytes that it takes on the engine's host in the end, for the error when there is no room. */
  readonly wantsBytes?: number;
};

/** A full disk is told with where and how much; an engine that cannot even say that leaves its first words. */
async function told(context: Context, cause: EngineError, wantsBytes: number | undefined): Promise<EngineError> {
  if (cause.kind === "unreachable" || cause.kind === "stopped" || !isNoSpace(cause)) return cause;
  try {
    return await wordNoSpace(engineOf(context), cause, wantsBytes ?? null);
  } catch (second) {
    if (!(second instanceof EngineError)) throw second;
    return cause;
  }
}

/** Runs a change. Whatever the engine refuses becomes an error, with `kept` as the state. */
export async function change(
  context: Context,
  subject: string,
  limit: Limited,
  kept: ObjectValue | null,
  work: (engine: Engine) => Promise<StateResponse>,
): Promise<StateResponse> {
  const timeout = AbortSignal.timeout(timeoutMs(limit.resource, limit.verb, limit.fallback));
  try {
    return await work(engineOf(context).withSignal(AbortSignal.any([context.signal, timeout])));
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    const late = cause.kind === "stopped" && !context.signal.aborted;
    const diagnostic = late
      ? error(
          `${subject}: the time is over`,
          `The ${limit.verb} was not done within the time that timeouts.${limit.verb} allows (default ${limit.fallback}). Raise it, or see what the Docker engine at ${hostOf(context)} is busy with.`,
        )
      : wordEngineError(await told(context, cause, limit.wantsBytes), subject);
    return { state: kept, diagnostics: [diagnostic] };
  }
}

/** Reads. Only the engine's own "not there" is gone; silence keeps the state, with one warning for all. */
export async function read(
  context: Context,
  subject: string,
  state: ObjectValue,
  work: (engine: Engine) => Promise<ObjectValue | null>,
): Promise<StateResponse> {
  try {
    return { state: await work(engineOf(context)) };
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    if (cause.kind !== "unreachable") return { state, diagnostics: [wordEngineError(cause, subject)] };
    return {
      state,
      diagnostics: [
        warning(
          "The local machines could not be read",
          `${cause.what}. ${cause.detail} The state is kept as it was and nothing is taken for gone. ${cause.fix ?? ""}`.trim(),
        ),
      ],
    };
  }
}
