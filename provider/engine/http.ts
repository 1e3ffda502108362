// One HTTP connection pool to one engine. Speaks paths and bodies; knows nothing of containers.
import { type Dispatcher, Pool } from "undici";
import { EngineError } from "./error.js";
import type { EngineAddress } from "./host.js";

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  readonly body?: Uint8Array | NodeJS.ReadableStream;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Longest wait for the answer's head. @default 120 s; 0 waits for ever */
  readonly headTimeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes(): Promise<Buffer>;
  json<T>(): Promise<T>;
  /** JSON values one after the other, as build and import send them. */
  lines(): AsyncGenerator<Readonly<Record<string, unknown>>>;
}

export interface Http {
  readonly host: string;
  /** Throws EngineError for an answer of 400 and more. `path` is taken as it is. */
  call(path: string, call?: Call): Promise<Answer>;
  close(): Promise<void>;
}

const networkCodes = new Set([
  "ECONNREFUSED",
  "ENOENT",
  "EACCES",
  "EPERM",
  "ECONNRESET",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "EAI_AGAIN",
  "ETIMEDOUT",
]);

function unreachable(host: string, cause: unknown): EngineError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason =
    code === "ENOENT"
      ? "its socket does not exist"
      : code === "EACCES"
        ? "this user may not use its socket"
        : code === "ECONNREFUSED"
          ? "nothing listens there"
          : message;
  const fix =
    code === "EACCES"
      ? "Run as root or as a member of the group docker."
      : "Start the engine (systemctl start docker) and run the same command again: what was made is found again, nothing is made twice. Another engine is named by docker_host in the provider block or by DOCKER_HOST.";
  return new EngineError("unreachable", { what: "No Docker engine answers", detail: `${host}: ${reason}.`, fix, cause });
}

const isNetworkError = (cause: unknown): boolean => {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return (
    code !== undefined && (networkCodes.has(code) || code.startsWith("UND_ERR") || code.startsWith("ERR_TLS") || code.includes("CERT"))
  );
};

function queryText(query: Call["query"]): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`;
}

async function readAll(body: Dispatcher.ResponseData["body"]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function errorText(bytes: Buffer): string {
  const text = bytes.toString("utf8").trim();
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text;
  } catch {
    return text;
  }
}

export function createHttp(address: EngineAddress): Http {
  const pool = new Pool(address.origin, {
    // Reads, creates and execs of ten parallel operations at a time, and what they wait on.
    connections: 32,
    pipelining: 1,
    // A stopped request must not keep the process, and long builds are quiet for minutes.
    bodyTimeout: 0,
    connect: { timeout: 10_000, ...(address.socketPath ? { socketPath: address.socketPath } : {}), ...address.tls },
  });

  const translate = (cause: unknown, signal: AbortSignal | undefined): unknown => {
    if (signal?.aborted) return new EngineError("stopped", { what: "Stopped", detail: "The operation was interrupted.", cause });
    return isNetworkError(cause) ? unreachable(address.host, cause) : cause;
  };

  return {
    host: address.host,
    async call(path, call = {}) {
      const headers: Record<string, string> = {};
      if (call.json !== undefined) headers["content-type"] = "application/json";
      else if (call.contentType) headers["content-type"] = call.contentType;
      const body = call.json !== undefined ? JSON.stringify(call.json) : call.body;
      const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return await work();
        } catch (cause) {
          throw translate(cause, call.signal);
        }
      };
      const response = await guarded(() =>
        pool.request({
          path: path + queryText(call.query),
          method: call.method ?? "GET",
          headers,
          headersTimeout: call.headTimeoutMs ?? 120_000,
          ...(body === undefined ? {} : { body: body as Dispatcher.DispatchOptions["body"] & {} }),
          ...(call.signal ? { signal: call.signal } : {}),
        }),
      );
      if (response.statusCode >= 400) {
        const detail = errorText(await guarded(() => readAll(response.body)));
        throw new EngineError("answer", { what: "The Docker engine refuses", detail, status: response.statusCode });
      }
      const bytes = (): Promise<Buffer> => guarded(() => readAll(response.body));
      return {
        status: response.statusCode,
        headers: response.headers,
        bytes,
        json: async <T>(): Promise<T> => JSON.parse((await bytes()).toString("utf8")) as T,
        async *lines() {
          let rest = "";
          response.body.setEncoding("utf8");
          try {
            for await (const chunk of response.body) {
              const parts = (rest + String(chunk)).split("\n");
              rest = parts.pop() ?? "";
              for (const part of parts) if (part.trim()) yield JSON.parse(part) as Record<string, unknown>;
            }
          } catch (cause) {
            throw translate(cause, call.signal);
          }
          if (rest.trim()) yield JSON.parse(rest) as Record<string, unknown>;
        },
      };
    },
    close: () => pool.destroy(),
  };
}
