// A Docker engine made of a table: request → answer, on a unix socket. Requests that the table does not know fail the
// call with status 501 and are listed, so that a test sees what it forgot.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorld } from "./open-world.js";

// A client of an engine is tested over a real socket: what it must survive are answers that are cut, late or missing.
openWorld("sockets");

export interface FakeRequest {
  readonly method: string;
  /** Without the version prefix and the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  json<T = Record<string, unknown>>(): T;
}
export interface FakeAnswer {
  readonly status?: number;
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  /** Never answers. */
  readonly hang?: true;
  /** Ends the connection instead of answering. */
  readonly cut?: true;
}
/** "GET /networks", "POST /containers/*\/start": "*" is one part of a path. */
export type FakeTable = Readonly<Record<string, FakeAnswer | ((request: FakeRequest) => FakeAnswer)>>;

export interface FakeDocker {
  readonly host: string;
  readonly seen: readonly FakeRequest[];
  /** "METHOD path" of each request but the version's, in order. */
  calls(): readonly string[];
  close(): Promise<void>;
}

const read = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const matches = (pattern: string, call: string): boolean =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]+")}$`).test(call);

function send(response: ServerResponse, answer: FakeAnswer): void {
  if (answer.hang) return;
  if (answer.cut) {
    response.destroy();
    return;
  }
  const bytes = answer.bytes ?? Buffer.from(answer.json === undefined ? "" : JSON.stringify(answer.json));
  response.writeHead(answer.status ?? 200, { "content-length": bytes.length });
  response.end(bytes);
}

export const message = (status: number, text: string): FakeAnswer => ({ status, json: { message: text } });

export async function fakeDocker(table: FakeTable): Promise<FakeDocker> {
  const dir = mkdtempSync(join(tmpdir(), "hp-fake-"));
  const socket = join(dir, "d.sock");
  const seen: FakeRequest[] = [];
  const rows = Object.entries({ "GET /version": { json: { ApiVersion: "1.43", MinAPIVersion: "1.12" } }, ...table });
  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? "/", "http://docker");
    const body = await read(incoming);
    const request: FakeRequest = {
      method: incoming.method ?? "",
      path: url.pathname.replace(/^\/v\d+\.\d+\//, "/"),
      query: url.searchParams,
      body,
      json: <T>() => JSON.parse(body.toString("utf8")) as T,
    };
    seen.push(request);
    const call = `${request.method} ${request.path}`;
    const row = rows.find(([pattern]) => pattern === call) ?? rows.find(([pattern]) => matches(pattern, call));
    const answer = row?.[1] ?? message(501, `the fake engine has no answer to ${call}`);
    send(response, typeof answer === "function" ? (answer as (asked: FakeRequest) => FakeAnswer)(request) : answer);
  });
  await new Promise<void>((done) => server.listen(socket, done));
  return {
    host: `unix://${socket}`,
    seen,
    calls: () => seen.map((r) => `${r.method} ${r.path}`).filter((c) => c !== "GET /version"),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
