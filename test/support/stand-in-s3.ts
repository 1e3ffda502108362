// A stand-in for an S3 server: objects in memory, and whatever refusal a test wants. What real ones check, the signature, is
// tested by the manual's examples and against a real server.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openWorld } from "./open-world.js";
import { seal } from "./sealed.js";

// The unit speaks HTTP.
openWorld("sockets");

export interface StandInS3 {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** "GET /bucket?list-type=2", in order. */
  readonly asked: string[];
  /** Status and code of every answer; null = as it should be. */
  refusal: { readonly status: number; readonly code: string; readonly body?: string } | null;
  /** Ends each object's answer after so many bytes; null = whole. */
  cut: number | null;
  /** How many keys a page of a list has. @default 1000 */
  page: number;
  close(): Promise<void>;
}

const escapeXml = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

export async function standInS3(bucket: string): Promise<StandInS3> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://s3");
    const path = decodeURIComponent(url.pathname);
    standIn.asked.push(`${request.method} ${path}${url.search}`);
    const say = (status: number, text: string): void => void response.writeHead(status, { "content-type": "application/xml" }).end(text);
    const error = (status: number, code: string): void =>
      say(status, `<Error><Code>${code}</Code><Message>said by the server</Message></Error>`);
    if (standIn.refusal) {
      const { status, code, body } = standIn.refusal;
      return body === undefined ? error(status, code) : say(status, body);
    }
    const [, name, ...rest] = path.split("/");
    if (name !== bucket) return error(404, "NoSuchBucket");
    if (rest.length === 0) {
      const prefix = url.searchParams.get("prefix") ?? "";
      const after = url.searchParams.get("continuation-token") ?? "";
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
      const page = keys.slice(0, standIn.page);
      const more = keys.length > page.length ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? "")}</NextContinuationToken>` : "";
      const entries = page.map((key) => `<Contents><Key>${escapeXml(key)}</Key><Size>1</Size></Contents>`).join("");
      return say(200, `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${entries}${more}</ListBucketResult>`);
    }
    const found = objects.get(rest.join("/"));
    if (!found) return error(404, "NoSuchKey");
    response.writeHead(200, { "content-length": found.length });
    if (standIn.cut === null) return void response.end(found);
    response.write(found.subarray(0, standIn.cut), () => request.socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const standIn: StandInS3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    asked: [],
    refusal: null,
    cut: null,
    page: 1000,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
  return standIn;
}

export const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

/** Puts a whole snapshot there, as an agent does. `over` changes what stands in the proof, `sealedProof` only what is sealed. */
export function putSnapshot(
  s3: StandInS3,
  below: string,
  id: string,
  passphrase: string,
  options: { readonly database?: Buffer; readonly sealedProof?: object; readonly set?: object } = {},
): void {
  const database = options.database ?? Buffer.from("a database of etcd");
  const proof = {
    name: id.slice(0, 16),
    cluster_uid: "u",
    number: 0,
    node: id.slice(17),
    version: "1.36.3",
    etcd_version: "3.6.16",
    size: database.length,
    sha256: sha256(database),
    revision: 7,
    keys: 5,
  };
  const set = { format: 1, id, proof: { ...proof, ...options.sealedProof }, document: {}, encryption: null, ...options.set };
  const sealed = { etcd: seal(database, passphrase), set: seal(Buffer.from(JSON.stringify(set)), passphrase) };
  const entry = (name: string, data: Buffer) => ({ name, size: data.length, sha256: sha256(data) });
  const objects = { etcd: entry("etcd.sealed", sealed.etcd), set: entry("set.sealed", sealed.set) };
  s3.objects.set(`${below}${id}/etcd.sealed`, sealed.etcd);
  s3.objects.set(`${below}${id}/set.sealed`, sealed.set);
  s3.objects.set(`${below}${id}/manifest.json`, Buffer.from(JSON.stringify({ format: 1, id, cluster: "demo", proof, objects })));
}
