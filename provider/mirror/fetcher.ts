// HTTP for downloads: proxies of the environment, and time limits on silence rather than on the whole.
import { EnvHttpProxyAgent, fetch, type Response } from "undici";

/** Why a file could not be had from upstream; `auto` prints it and builds instead. */
export class UpstreamFailed extends Error {
  constructor(
    message: string,
    /** Nothing answered: asking the same place for the next file is a waste of time. */
    readonly unreachable = false,
  ) {
    super(message);
  }
}

export interface FetcherOptions {
  readonly signal: AbortSignal;
  /** How long to wait for an answer to begin. @default 5000 */
  readonly connectMs?: number;
  /** How long a download may stand still. @default 30000 */
  readonly stallMs?: number;
}

export interface Fetcher {
  /** An answer of any status; UpstreamFailed when none comes. */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  readonly signal: AbortSignal;
  close(): Promise<void>;
}

export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? cause.cause.message : "";
  return inner && inner !== cause.message ? `${cause.message}: ${inner}` : cause.message;
}

export function createFetcher({ signal, connectMs = 5_000, stallMs = 30_000 }: FetcherOptions): Fetcher {
  const own = process.env.NO_PROXY ?? process.env.no_proxy ?? "";
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: connectMs },
    headersTimeout: connectMs,
    bodyTimeout: stallMs,
    noProxy: [own, "localhost", "127.0.0.1"].filter(Boolean).join(","),
  });
  return {
    signal,
    async get(url, headers = {}) {
      try {
        return await fetch(url, { headers: { "user-agent": "honest-paas", ...headers }, signal, redirect: "follow", dispatcher });
      } catch (cause) {
        signal.throwIfAborted();
        throw new UpstreamFailed(`${url}: ${reasonOf(cause)}`, true);
      }
    },
    close: () => dispatcher.destroy(),
  };
}
