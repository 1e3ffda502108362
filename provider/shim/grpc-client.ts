// A gRPC client on node:http2, as much as a plugin needs: unary calls over one connection whose other end is pinned to the
// certificate of the handshake.
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { ServerCertificate } from "../protocol/certificate.js";
import { frame } from "../protocol/grpc-frame.js";

export type Address = { readonly path: string } | { readonly host: string; readonly port: number };

export interface GrpcClientOptions {
  readonly address: Address;
  /** Ours: the plugin takes nobody else. */
  readonly certificate: ServerCertificate;
  /** The only certificate that the other end may show, DER. */
  readonly pinned: Buffer;
  /** How often a silent connection is asked for a sign of life. Plugins hang up on whoever asks more than every five minutes. */
  readonly pingMs: number;
  readonly pongMs: number;
}

export class GrpcError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface GrpcClient {
  /** Rejects with `GrpcError`; status 14 when the connection broke. */
  call(path: string, request: Uint8Array, deadlineMs: number | null): Promise<Buffer>;
  alive(): boolean;
  destroy(): void;
}

export const unavailable = 14;
export const unimplemented = 12;
const deadlineExceeded = 4;

function pinnedSocket({ address, certificate, pinned }: GrpcClientOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      ...address,
      cert: certificate.certPem,
      key: certificate.keyPem,
      // compared below, byte for byte; an authority would add nothing
      rejectUnauthorized: false,
      ca: [],
      servername: "localhost",
      ALPNProtocols: ["h2"],
      minVersion: "TLSv1.2",
    });
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      socket.removeListener("error", reject);
      if (socket.getPeerX509Certificate()?.raw.equals(pinned)) return resolve(socket);
      socket.destroy();
      reject(new Error("the other end of the plugin's socket does not show the certificate of the handshake"));
    });
  });
}

export async function connectGrpc(options: GrpcClientOptions): Promise<GrpcClient> {
  const socket = await pinnedSocket(options);
  const session = connectHttp2("https://localhost", {
    createConnection: () => socket,
    settings: { initialWindowSize: 1 << 24, maxFrameSize: 1 << 20, enablePush: false },
    // MiB: states of many megabytes come through one connection
    maxSessionMemory: 4096,
  });
  session.once("connect", () => session.setLocalWindowSize(1 << 26));
  let broken = "the connection is closed";
  session.on("error", (cause) => {
    broken = cause.message;
  });
  watch(session, options, (why) => {
    broken = why;
  });
  return {
    call: (path, request, deadlineMs) => callUnary(session, path, request, deadlineMs, () => broken),
    alive: () => !session.closed && !session.destroyed,
    destroy: () => session.destroy(),
  };
}

function watch(session: ClientHttp2Session, { pingMs, pongMs }: GrpcClientOptions, broke: (why: string) => void): void {
  const timer = setInterval(() => {
    const silent = setTimeout(() => {
      broke(`no sign of life for ${Math.round(pongMs / 1000)} s`);
      session.destroy();
    }, pongMs);
    silent.unref();
    if (session.destroyed || !session.ping(() => clearTimeout(silent))) clearTimeout(silent);
  }, pingMs);
  timer.unref();
  session.on("close", () => clearInterval(timer));
}

const statusOf = (headers: IncomingHttpHeaders): GrpcError | "ok" | undefined => {
  const status = headers["grpc-status"];
  if (status === undefined) return undefined;
  if (String(status) === "0") return "ok";
  return new GrpcError(Number(status), decodeMessage(String(headers["grpc-message"] ?? "no reason given")));
};

function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // not percent-encoded: it is readable as it is
    return text;
  }
}

function callUnary(
  session: ClientHttp2Session,
  path: string,
  request: Uint8Array,
  deadlineMs: number | null,
  broken: () => string,
): Promise<Buffer> {
  if (session.closed || session.destroyed) return Promise.reject(new GrpcError(unavailable, broken()));
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" });
    const chunks: Buffer[] = [];
    let status: GrpcError | "ok" | undefined;
    let problem = "";
    const timer =
      deadlineMs === null
        ? undefined
        : setTimeout(() => {
            reject(new GrpcError(deadlineExceeded, `no answer to ${path} within ${Math.round(deadlineMs / 1000)} s`));
            stream.close();
          }, deadlineMs);
    stream.on("response", (headers) => {
      status = statusOf(headers) ?? status;
    });
    stream.on("trailers", (headers) => {
      status = statusOf(headers) ?? status;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", (cause) => {
      problem = cause.message;
    });
    stream.on("close", () => {
      clearTimeout(timer);
      const whole = Buffer.concat(chunks);
      if (status instanceof GrpcError) reject(status);
      else if (status === undefined) reject(new GrpcError(unavailable, problem || broken()));
      else if (whole.length < 5 || whole[0] !== 0 || whole.length !== 5 + whole.readUInt32BE(1)) {
        reject(new GrpcError(unavailable, `the answer to ${path} is not one whole message`));
      } else resolve(whole.subarray(5));
    });
    stream.end(frame(request));
  });
}
