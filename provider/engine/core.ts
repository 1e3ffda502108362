// What every file of this folder works with: versioned calls to one engine, and locks inside this process.
import { setMaxListeners } from "node:events";
import { EngineError, hasStatus } from "./error.js";
import type { EngineAddress } from "./host.js";
import { type Answer, type Call, createHttp } from "./http.js";

export interface Core {
  readonly host: string;
  /** A call below the negotiated API version; an answer of 400 and more throws. */
  call(path: string, call?: Call): Promise<Answer>;
  json<T>(path: string, call?: Call): Promise<T>;
  /** null when the engine does not know the object. An engine that cannot be reached still throws. */
  find<T>(path: string, call?: Call): Promise<T | null>;
  /** Deletes; false when it was gone already (or is being removed right now). */
  drop(path: string, query?: Call["query"]): Promise<boolean>;
  /** One at a time per key among the calls of this process. */
  lock<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Made once per engine, then kept; a failure is not kept. */
  once<T>(key: string, make: () => Promise<T>): Promise<T>;
  /** The same engine, whose calls end when the signal is raised. */
  withSignal(signal: AbortSignal): Core;
  close(): Promise<void>;
}

const oldest = [1, 41] as const;
const newest = [1, 45] as const;

const parseVersion = (text: string): readonly [number, number] => {
  const [major = 0, minor = 0] = text.split(".").map(Number);
  return [major, minor];
};
const below = (a: readonly [number, number], b: readonly [number, number]): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

/** The highest version that both sides speak, as a path prefix. */
export function chooseVersion(server: { readonly ApiVersion?: string; readonly MinAPIVersion?: string }, host: string): string {
  const highest = parseVersion(server.ApiVersion ?? "0.0");
  const lowest = parseVersion(server.MinAPIVersion ?? "1.0");
  if (below(highest, oldest))
    throw new EngineError("refused", {
      what: "The Docker engine is too old",
      detail: `${host} speaks API ${server.ApiVersion ?? "of an unknown version"}; ${oldest.join(".")} or newer is needed.`,
      fix: "Use Docker engine 20.10 or newer.",
    });
  const wanted = below(highest, newest) ? highest : newest;
  const chosen = below(wanted, lowest) ? lowest : wanted;
  return `/v${chosen.join(".")}`;
}

export function createCore(address: EngineAddress): Core {
  const http = createHttp(address);
  const tails = new Map<string, Promise<unknown>>();
  const made = new Map<string, Promise<unknown>>();

  const once = <T>(key: string, make: () => Promise<T>): Promise<T> => {
    const kept = made.get(key) as Promise<T> | undefined;
    if (kept) return kept;
    const fresh = make();
    made.set(key, fresh);
    fresh.catch(() => made.delete(key));
    return fresh;
  };

  const bind = (signal: AbortSignal | undefined): Core => {
    // Every call in flight listens to it; more than ten at a time are no leak.
    if (signal) setMaxListeners(0, signal);
    const withDefault = (call: Call = {}): Call => (signal && !call.signal ? { ...call, signal } : call);
    const core: Core = {
      host: address.host,
      async call(path, call) {
        const prefix = await once("version", async () =>
          chooseVersion(await (await http.call("/version", withDefault({ headTimeoutMs: 20_000 }))).json(), address.host),
        );
        return http.call(prefix + path, withDefault(call));
      },
      json: async (path, call) => (await core.call(path, call)).json(),
      async find(path, call) {
        try {
          return await core.json(path, call);
        } catch (cause) {
          if (hasStatus(cause, 404)) return null;
          throw cause;
        }
      },
      async drop(path, query) {
        try {
          await (await core.call(path, { method: "DELETE", ...(query ? { query } : {}) })).bytes();
          return true;
        } catch (cause) {
          if (hasStatus(cause, 404)) return false;
          // 409 "removal … is already in progress": somebody else does it; the caller wants it gone, so wait for that.
          if (hasStatus(cause, 409) && (cause as EngineError).detail.includes("already in progress")) return false;
          throw cause;
        }
      },
      async lock(key, work) {
        const before = tails.get(key) ?? Promise.resolve();
        const mine = before.then(work, work);
        const tail = mine.catch(() => undefined);
        tails.set(key, tail);
        try {
          return await mine;
        } finally {
          if (tails.get(key) === tail) tails.delete(key);
        }
      },
      once,
      withSignal: (next) => bind(next),
      close: () => http.close(),
    };
    return core;
  };
  return bind(undefined);
}
