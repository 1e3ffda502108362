// The way to the endpoint, step by step, believing nobody: a certificate that is refused is the very thing to look at.
import { lookup } from "node:dns/promises";
import { request } from "node:http";
import { connect as dial, isIP, type Socket } from "node:net";
import { connect as secure, type TLSSocket } from "node:tls";
import type { Reach } from "./evidence.js";

const limitMs = 5_000;

interface Fault {
  readonly code?: string;
  readonly message?: string;
}
type Step<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: string; readonly words: string };

const fault = (cause: unknown): { readonly ok: false; readonly code: string; readonly words: string } => {
  const { code = "", message } = cause as Fault;
  return { ok: false, code, words: message || code || String(cause) };
};

/**
 * Never throws; each step is bounded by five seconds. `ca`: PEM of the cluster's authorities. `serverName`: what the
 * certificate is checked against; null: the endpoint's host.
 */
export async function reachOf(endpoint: string, ca: string, serverName: string | null = null): Promise<Reach> {
  const url = new URL(endpoint);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || 443);
  if (isIP(host) === 0) {
    try {
      await lookup(host);
    } catch (cause) {
      return { kind: "unresolved", name: host, words: fault(cause).words };
    }
  }
  const connected = await settled<Socket>((done) => {
    const socket = dial({ host, port });
    socket.once("connect", () => done({ ok: true, value: socket }));
    socket.once("error", (cause) => done(fault(cause)));
    return socket;
  });
  if (!connected.ok) return { kind: "silent", code: connected.code, words: connected.words };
  const link = await settled<TLSSocket>((done) => {
    const socket = secure({
      socket: connected.value,
      ca,
      rejectUnauthorized: false,
      host,
      ...(serverName !== null || isIP(host) === 0 ? { servername: serverName ?? host } : {}),
    });
    socket.once("secureConnect", () => done({ ok: true, value: socket }));
    socket.once("error", (cause) => done(fault(cause)));
    socket.once("close", () => done({ ok: false, code: "", words: "the connection was closed before the handshake" }));
    return socket;
  });
  if (!link.ok) {
    connected.value.destroy();
    return { kind: "cut", words: link.words };
  }
  try {
    return await answerOf(link.value, host);
  } finally {
    link.value.destroy();
  }
}

/** The first word counts; silence becomes ETIMEDOUT. */
function settled<T>(begin: (done: (step: Step<T>) => void) => { destroy(): unknown; on(event: "error", listener: () => void): unknown }) {
  return new Promise<Step<T>>((resolve) => {
    const timer = setTimeout(() => {
      made.destroy();
      resolve({ ok: false, code: "ETIMEDOUT", words: `no answer within ${limitMs / 1000} s` });
    }, limitMs);
    const made = begin((step) => {
      clearTimeout(timer);
      resolve(step);
    });
    // what comes after the first word is said already
    made.on("error", () => undefined);
  });
}

async function answerOf(link: TLSSocket, host: string): Promise<Reach> {
  const shown = link.getPeerX509Certificate();
  if (!shown) return { kind: "cut", words: "the other side shows no certificate" };
  const problem = link.authorizationError as unknown;
  const answer = await new Promise<{ status: number; body: string; clock: number | null } | null>((done) => {
    const asked = request({ createConnection: () => link, host, path: "/readyz?verbose", timeout: limitMs }, (reply) => {
      const date = Date.parse(reply.headers.date ?? "");
      let body = "";
      reply.setEncoding("utf8");
      reply.on("data", (chunk: string) => {
        if (body.length < 20_000) body += chunk;
      });
      const end = (): void => done({ status: reply.statusCode ?? 0, body, clock: Number.isNaN(date) ? null : date });
      reply.on("end", end);
      reply.on("error", end);
    });
    asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.on("error", () => done(null));
    asked.end();
  });
  return {
    kind: "tls",
    problem: problem ? ((problem as Fault).code ?? String(problem)) : null,
    certificate: {
      notBefore: Date.parse(shown.validFrom),
      notAfter: Date.parse(shown.validTo),
      names: shown.subjectAltName ?? "",
      issuer: shown.issuer.replace(/\n/g, ", "),
    },
    status: answer?.status ?? null,
    body: answer?.body ?? "",
    clock: answer?.clock ?? null,
  };
}
