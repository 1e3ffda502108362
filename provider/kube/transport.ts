// HTTPS to one API server with our own client certificate. The certificate is replaced before it expires, on new
// connections, while requests under way finish on the old ones.
import type { Pool } from "undici";
import { type Access, certificateMinutes, type IssueClient } from "./access.js";
import { type Failure, failed, type Outcome, ok } from "./outcome.js";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal: AbortSignal;
}
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfterSec?: number;
  readonly text: string;
}
export interface Transport {
  send(request: HttpRequest): Promise<Outcome<HttpAnswer>>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly access: Access;
  readonly issue: IssueClient;
  readonly identity: { readonly commonName: string; readonly organizations: readonly string[] };
}

const renewAfterMs = (certificateMinutes * 60_000 * 2) / 3;

export function createTransport({ access, issue, identity }: TransportOptions): Transport {
  let current: { readonly pool: Promise<Pool>; readonly madeAt: number } | undefined;

  const open = async (): Promise<Pool> => {
    const [{ Pool }, { cert, key }] = await Promise.all([
      import("undici"),
      issue({ caCert: access.client_ca_cert, caKey: access.client_ca_key, ...identity, minutes: certificateMinutes }),
    ]);
    // A public address of the cloud's choice is in no certificate; the nodes' name for the API is in each.
    const name = access.server_name ? { servername: access.server_name } : {};
    const connect = { ca: access.ca_bundle, cert, key, timeout: 4_000, ...name };
    return new Pool(new URL(access.endpoint).origin, { connections: 8, connect });
  };
  const pool = (): Promise<Pool> => {
    if (current && Date.now() - current.madeAt < renewAfterMs) return current.pool;
    const old = current;
    const made = open();
    current = { pool: made, madeAt: Date.now() };
    made.catch(() => {
      // The next request tries again; this one reports the reason.
      if (current?.pool === made) current = undefined;
    });
    old?.pool.then((p) => p.close()).catch(() => undefined);
    return made;
  };

  const ask = async (request: HttpRequest): Promise<HttpAnswer> => {
    const target = await pool();
    const answer = await target.request({
      method: request.method,
      path: request.path,
      signal: request.signal,
      headers: {
        accept: "application/json",
        ...(request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
      },
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const retryAfter = Number(answer.headers["retry-after"]);
    const text = await answer.body.text();
    return { status: answer.statusCode, text, ...(Number.isFinite(retryAfter) ? { retryAfterSec: retryAfter } : {}) };
  };

  return {
    async send(request) {
      try {
        return ok(
          await ask(request).catch((cause: unknown) =>
            closedUnderUs(cause) && repeatable(request) ? ask(request) : Promise.reject(cause),
          ),
        );
      } catch (cause) {
        return failed(wordCause(cause, access.endpoint));
      }
    },
    async close() {
      const open = current;
      current = undefined;
      await open?.pool.then((p) => p.close()).catch(() => undefined);
    },
  };
}

/** A server or balancer may close a kept connection in the very moment in which we use it: that is no outage. */
const closedUnderUs = (cause: unknown): boolean =>
  ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(String((cause as { code?: unknown }).code));

/** Done twice it is as if done once; a create that went through would be refused the second time. */
const repeatable = ({ method }: HttpRequest): boolean => method !== "POST";

/** Every way in which a request ends without an answer. */
function wordCause(cause: unknown, endpoint: string): Failure {
  const error = cause as { name?: string; code?: string; message?: string; errors?: readonly { message?: string }[] };
  if (error.name === "TimeoutError") return { kind: "unreachable", message: `${endpoint} did not answer in time` };
  if (error.name === "AbortError") return { kind: "stopped", message: "stopped while talking to the Kubernetes API" };
  // A refused connection to a name with several addresses comes as an AggregateError without a message.
  const words = error.message || (error.errors ?? []).map((e) => e.message).join(", ") || error.code || String(cause);
  return { kind: "unreachable", message: `${endpoint}: ${words}` };
}
