// A mirror over HTTP: static files with ranges, and below /v2/ the part of the distribution API that pulling uses.
import { createReadStream } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { digestOf, manifestType } from "./oci.js";
import { MirrorFailed } from "./problem.js";

export interface ServeOptions {
  readonly folder: string;
  /** 0 takes a free one. @default 8080 */
  readonly port?: number;
  /** @default "127.0.0.1" */
  readonly address?: string;
  /** One line a request, for a person who watches. */
  readonly log?: (line: string) => void;
}

export interface ServedMirror {
  readonly url: string;
  close(): Promise<void>;
}

type Send = (status: number, headers?: Readonly<Record<string, string | number>>, body?: string | Buffer) => void;

const missing = (code: string, message: string): string => JSON.stringify({ errors: [{ code, message }] });

/** The real path of a file below the folder; undefined for anything else, a link that leads out included. */
async function locate(folder: string, parts: readonly string[]): Promise<string | undefined> {
  if (parts.some((part) => part === "" || part.startsWith(".") || part.includes("/") || part.includes("\0"))) return undefined;
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, ...parts))]);
    return path.startsWith(root + sep) && (await stat(path)).isFile() ? path : undefined;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return undefined;
    throw cause;
  }
}

/** Bytes asked for by "bytes=A-B", "bytes=A-" or "bytes=-N"; "bad" when they lie outside; undefined for the whole. */
export function rangeOf(header: string | undefined, size: number): { readonly start: number; readonly end: number } | "bad" | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start > end || start >= size ? "bad" : { start, end };
}

async function sendFile(request: IncomingMessage, response: ServerResponse, path: string, headers: Record<string, string>): Promise<void> {
  const { size, mtime } = await stat(path);
  const range = rangeOf(request.headers.range, size);
  const common = { ...headers, "accept-ranges": "bytes", "last-modified": mtime.toUTCString() };
  if (range === "bad") {
    response.writeHead(416, { ...common, "content-range": `bytes */${size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range ? 206 : 200, {
    ...common,
    "content-length": end - start + 1,
    ...(range ? { "content-range": `bytes ${start}-${end}/${size}` } : {}),
  });
  if (request.method === "HEAD" || size === 0) response.end();
  else await pipeline(createReadStream(path, { start, end }), response);
}

async function sendRegistry(
  folder: string,
  parts: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
  send: Send,
): Promise<void> {
  const api = { "docker-distribution-api-version": "registry/2.0" };
  const json = { ...api, "content-type": "application/json" };
  if (parts.length === 0) return send(200, json, "{}");
  const [kind = "", id = ""] = parts.slice(-2);
  const name = parts.slice(0, -2);
  if (kind === "manifests") {
    const path = await locate(folder, ["v2", ...name, kind, id]);
    if (!path) return send(404, json, missing("MANIFEST_UNKNOWN", `${name.join("/")}:${id} is not in this mirror`));
    const body = await readFile(path);
    const { mediaType } = JSON.parse(body.toString("utf8")) as { mediaType?: string };
    return send(200, { ...api, "content-type": mediaType ?? manifestType, "docker-content-digest": digestOf(body) }, body);
  }
  if (kind === "blobs") {
    const path = await locate(folder, ["v2", ...name, kind, id]);
    if (!path) return send(404, json, missing("BLOB_UNKNOWN", `${name.join("/")}@${id} is not in this mirror`));
    return sendFile(request, response, path, { ...api, "content-type": "application/octet-stream", "docker-content-digest": id });
  }
  if (kind === "tags" && id === "list") {
    const names = await readdir(join(folder, "v2", ...name, "manifests")).catch(() => [] as string[]);
    const tags = names.filter((tag) => /^\w[\w.-]{0,127}$/.test(tag) && !tag.endsWith(".part")).sort();
    if (tags.length > 0) return send(200, json, JSON.stringify({ name: name.join("/"), tags }));
    return send(404, json, missing("NAME_UNKNOWN", `${name.join("/")} is not in this mirror`));
  }
  send(404, json, missing("UNSUPPORTED", "only pulling is offered"));
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send: Send = (status, headers = {}, body = "") => {
    response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
    response.end(request.method === "HEAD" ? undefined : body);
  };
  if (request.method !== "GET" && request.method !== "HEAD") return send(405, { allow: "GET, HEAD" });
  let parts: readonly string[];
  try {
    const path = (request.url ?? "/").replace(/[?#].*$/s, "");
    parts = path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    // an escape that is none
    return send(400);
  }
  if (parts[0] === "v2")
    return sendRegistry(
      folder,
      parts.slice(1).filter((p, i, all) => p !== "" || i < all.length - 1),
      request,
      response,
      send,
    );
  const path = await locate(folder, parts);
  if (!path) return send(404, { "content-type": "text/plain" }, "not in this mirror\n");
  await sendFile(request, response, path, { "content-type": /\.(sha256|json)$/.test(path) ? "text/plain" : "application/octet-stream" });
}

export async function serveMirror(options: ServeOptions): Promise<ServedMirror> {
  const { folder, port = 8080, address = "127.0.0.1", log } = options;
  const server = createServer((request, response) => {
    response.on("finish", () => log?.(`${request.method} ${request.url} ${response.statusCode}`));
    answer(folder, request, response).catch((cause: Error) => {
      log?.(`${request.method} ${request.url} failed: ${cause.message}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  await new Promise<void>((done, fail) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      fail(cause.code === "EADDRINUSE" ? new MirrorFailed(`${address}:${port} is in use by another program; choose another port`) : cause),
    );
    server.listen(port, address, done);
  });
  const { port: taken } = server.address() as AddressInfo;
  const host = address.includes(":") ? `[${address}]` : address;
  return {
    url: `http://${host}:${taken}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
