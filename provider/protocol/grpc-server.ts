// A gRPC server on node:http2, as much as the plugin protocol needs: unary calls, two silent streams, trailers with a
// status. Handlers get and give bytes.
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { ServerCertificate } from "./certificate.js";

export type Unary = (request: Buffer) => Promise<Uint8Array>;

export interface GrpcRoutes {
  /** By path: "/tfplugin6.Provider/ReadResource". */
  readonly unary: Readonly<Record<string, Unary>>;
  /** Streams that stay open and never say anything. */
  readonly silent: readonly string[];
}

const unimplemented = 12;
const internal = 13;

export function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function answer(stream: ServerHttp2Stream, message: Uint8Array | null, status: number, text = ""): void {
  if (stream.destroyed || stream.closed) return;
  const trailers: Record<string, string> = { "grpc-status": String(status) };
  if (text) trailers["grpc-message"] = encodeURIComponent(text);
  if (message === null) {
    stream.respond({ ":status": 200, "content-type": "application/grpc", ...trailers }, { endStream: true });
    return;
  }
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(frame(message));
}

async function readMessage(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const whole = Buffer.concat(chunks);
  if (whole.length < 5) return Buffer.alloc(0);
  return whole.subarray(5, 5 + whole.readUInt32BE(1));
}

async function handle(routes: GrpcRoutes, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  const path = String(headers[":path"] ?? "");
  // a client that goes away is not an error of ours
  stream.on("error", () => stream.close());
  if (routes.silent.includes(path)) {
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    return;
  }
  const route = routes.unary[path];
  if (!route) {
    stream.resume();
    return answer(stream, null, unimplemented, `unknown method ${path}`);
  }
  try {
    answer(stream, await route(await readMessage(stream)), 0);
  } catch (cause) {
    answer(stream, null, internal, cause instanceof Error ? cause.message : String(cause));
  }
}

export interface GrpcServerOptions {
  readonly routes: GrpcRoutes;
  /** Left out = plain text, for a provider that a test or a debugger started. */
  readonly tls?: { readonly certificate: ServerCertificate; readonly clientCertPem: string };
}

const settings = { maxFrameSize: 1 << 20, initialWindowSize: 1 << 24, maxConcurrentStreams: 1 << 16 };

export function createGrpcServer(options: GrpcServerOptions): Http2Server | Http2SecureServer {
  const server = options.tls
    ? createSecureServer({
        settings,
        cert: options.tls.certificate.certPem,
        key: options.tls.certificate.keyPem,
        ca: options.tls.clientCertPem,
        requestCert: true,
        rejectUnauthorized: true,
        minVersion: "TLSv1.2",
        allowHTTP1: false,
      })
    : createServer({ settings });
  server.on("session", (session) => {
    // the window of the connection, not only of a stream: state values of many megabytes come through one connection
    session.setLocalWindowSize(1 << 26);
    session.on("error", () => session.destroy());
  });
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void handle(options.routes, stream, headers));
  return server;
}
