// What lasts as long as the process: the provider block, the wish to stop, and what resources share.
import { type Diagnostic, error } from "../framework/diagnostic.js";
import { fillDefaults } from "../framework/plan.js";
import type { Context, Log, Private, Provider } from "../framework/resource.js";
import type { ObjectValue } from "../framework/value.js";

export interface Session {
  readonly provider: Provider;
  readonly log: Log;
  readonly stop: AbortController;
  config: ObjectValue;
  readonly shared: Map<string, unknown>;
}

export function createSession(provider: Provider, log: Log): Session {
  return { provider, log, stop: new AbortController(), config: fillDefaults(provider.schema.attributes, {}), shared: new Map() };
}

export function contextOf(session: Session): Context {
  return {
    signal: session.stop.signal,
    log: session.log,
    config: session.config,
    once<T>(key: string, make: () => T): T {
      if (!session.shared.has(key)) session.shared.set(key, make());
      return session.shared.get(key) as T;
    },
  };
}

/** A throw is never the user's fault: short on the screen, whole in the log. */
export function bug(session: Session, what: string, cause: unknown): Diagnostic {
  const message = cause instanceof Error ? cause.message : String(cause);
  session.log("error", `${what}: ${cause instanceof Error ? (cause.stack ?? message) : message}`);
  return error(
    "The provider has a bug",
    `${what} failed with: ${message}. This is a fault of the provider, not of your configuration; the stack is in the log (TF_LOG=error). Please report it.`,
  );
}

export function readPrivate(bytes: unknown): Private {
  const data = bytes as Uint8Array | undefined;
  return data && data.length > 0 ? (JSON.parse(Buffer.from(data).toString("utf8")) as Private) : {};
}

export const writePrivate = (data: Private | undefined): Buffer =>
  data && Object.keys(data).length > 0 ? Buffer.from(JSON.stringify(data)) : Buffer.alloc(0);
