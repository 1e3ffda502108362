// A gRPC server on node:http2, as much as the plugin protocol needs: unary calls, two silent streams, trailers with a
// status. Handlers get and give bytes.
import { X509Certificate } from "node:crypto";
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import type { ServerCertificate } from "./certificate.js";
import { frame } from "./grpc-frame.js";

export type Unary = (request: Buffer) => Promise<Uint8Array>;

export interface GrpcRoutes {
  /** By path: "/tfplugin6.Provider/ReadResource". Undefined = unknown to this server, which callers tolerate. */
  unary(path: string): Promise<Unary | undefined>;
  /** Streams that stay open and never say anything. */
  readonly silent: readonly string[];
}

const unimplemented = 12;
const internal = 13;
const headers = { ":status": 200, "content-type": "application/grpc" } as const;

const gone = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed || stream.headersSent;

function answer(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (gone(stream)) return;
  stream.respond(headers, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(frame(message));
}

function refuse(stream: ServerHttp2Stream, status: number, text: string): void {
  if (gone(stream)) return;
  stream.respond({ ...headers, "grpc-status": String(status), "grpc-message": encodeURIComponent(text) }, { endStream: true });
}

async function readMessage(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const whole = Buffer.concat(chunks);
  if (whole.length < 5 || whole.length !== 5 + whole.readUInt32BE(1)) throw new Error("the request is not one whole message");
  if (whole[0] !== 0) throw new Error("the request is compressed");
  return whole.subarray(5);
}

async function handle(routes: GrpcRoutes, stream: ServerHttp2Stream, path: string): Promise<void> {
  // a client that goes away is not an error of ours
  stream.on("error", () => stream.close());
  if (routes.silent.includes(path)) {
    stream.resume();
    stream.respond(headers);
    return;
  }
  try {
    // the request is read in any case, or the stream would never end
    const request = await readMessage(stream);
    const route = await routes.unary(path);
    if (route) answer(stream, await route(request));
    else refuse(stream, unimplemented, `unknown method ${path}`);
  } catch (cause) {
    refuse(stream, internal, cause instanceof Error ? cause.message : String(cause));
  }
}

export interface GrpcServerOptions {
  readonly routes: GrpcRoutes;
  /** Left out = plain text, for a provider that a test or a debugger started. */
  readonly tls?: { readonly certificate: ServerCertificate; readonly clientCertPem: string };
}

const limits = {
  settings: { maxFrameSize: 1 << 20, initialWindowSize: 1 << 24, maxConcurrentStreams: 1 << 16 },
  // MiB a session may hold; Node's ten refuse streams as soon as two states of 5 MiB are on their way
  maxSessionMemory: 4096,
};

export type GrpcServer = Http2Server | Http2SecureServer;

export function createGrpcServer({ routes, tls }: GrpcServerOptions): GrpcServer {
  const server = tls
    ? createSecureServer({
        ...limits,
        cert: tls.certificate.certPem,
        key: tls.certificate.keyPem,
        // Core's certificate is compared below. Given here, it would make Node parse all public authorities first, which takes
        // as long as starting it.
        ca: [],
        requestCert: true,
        rejectUnauthorized: false,
        minVersion: "TLSv1.2",
        allowHTTP1: false,
      })
    : createServer(limits);
  const expected = tls ? new X509Certificate(tls.clientCertPem).raw : null;
  server.on("session", (session) => {
    session.on("error", () => session.destroy());
    // TLS has proved that the other end holds the key of the certificate that it shows
    if (expected && !(session.socket as TLSSocket).getPeerX509Certificate()?.raw.equals(expected)) return session.destroy();
    // the window of the connection, not only of a stream: state values of many megabytes come through one connection
    session.setLocalWindowSize(1 << 26);
  });
  server.on("stream", (stream: ServerHttp2Stream, given: IncomingHttpHeaders) => {
    void handle(routes, stream, String(given[":path"] ?? ""));
  });
  return server;
}
