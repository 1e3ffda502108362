// Reading from an S3 API: list and get, signed with version 4, and a URL for somebody else to get. Our own, since a client library
// would be larger than the whole tool for two calls of which one is a GET.
import { createHash, createHmac } from "node:crypto";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";

export interface S3Place {
  /** "https://s3.example.com" */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** PEM; null = what Node trusts. */
  readonly ca: string | null;
}

/** The server said no, or nothing (status 0). The message says what to do. */
export class S3Failed extends Error {
  constructor(
    readonly status: number,
    /** The server's own word: "NoSuchKey". */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const idleMs = 60_000;
const emptySha256 = createHash("sha256").update("").digest("hex");

const full = ["QuotaExceeded", "InsufficientStorage", "StorageFull", "XMinioStorageFull", "InsufficientCapacity"];
const advice: Readonly<Record<string, string>> = {
  SignatureDoesNotMatch: "the secret access key is another one than the server's",
  InvalidAccessKeyId: "the server does not know the access key id",
  // versitygw's own word for it
  XAdminUserNotFound: "the server does not know the access key id",
  AccessDenied: "the key may not do that: give it s3:ListBucket on the bucket and s3:GetObject below the prefix",
  RequestTimeTooSkewed: "the clocks of this machine and of the server are too far apart: synchronise the one that is wrong",
  NoSuchBucket: "there is no such bucket: correct its name",
  NoSuchKey: "there is no such object: it was deleted, or its upload never ended",
  AuthorizationHeaderMalformed: "the bucket is in another region: correct the region",
  PermanentRedirect: "the bucket is at another endpoint or in another region",
  SlowDown: "the server is busy: try again",
};
const byStatus: Readonly<Record<number, string | undefined>> = { 403: advice.AccessDenied, 503: advice.SlowDown };

/** What to do about a refusal; empty = the server's own words have to do. */
function adviceFor(status: number, code: string): string {
  if (full.includes(code)) return "the target is full: raise its quota";
  if (status >= 300 && status < 400) return advice.PermanentRedirect ?? "";
  return advice[code] ?? byStatus[status] ?? "";
}

const quote = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

interface Signed {
  readonly method: string;
  /** As sent, quoted. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

const queryText = (query: Signed["query"]): string =>
  Object.entries(query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${quote(name)}=${quote(value)}`)
    .join("&");

type Account = Pick<S3Place, "region" | "accessKeyId" | "secretAccessKey">;

const stampOf = (now: Date): string => now.toISOString().replace(/[-:]|\.\d+/g, "");
const scopeOf = (account: Account, stamp: string): string => `${stamp.slice(0, 8)}/${account.region}/s3/aws4_request`;
const headerNames = (signed: Signed): readonly string[] => Object.keys(signed.headers).sort();

function signature(account: Account, signed: Signed, stamp: string): string {
  const names = headerNames(signed);
  const lines = names.map((name) => `${name}:${(signed.headers[name] ?? "").trim().replace(/\s+/g, " ")}`);
  const canonical = [signed.method, signed.path, queryText(signed.query), ...lines, "", names.join(";"), signed.payload].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const scope = scopeOf(account, stamp);
  const key = scope.split("/").reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${account.secretAccessKey}`);
  return hmac(key, ["AWS4-HMAC-SHA256", stamp, scope, digest].join("\n")).toString("hex");
}

/** The header's value. stamp: "20261130T120000Z". */
export function authorization(account: Account, signed: Signed, stamp: string): string {
  const credential = `${account.accessKeyId}/${scopeOf(account, stamp)}`;
  const names = headerNames(signed).join(";");
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature(account, signed, stamp)}`;
}

const pathOf = (place: S3Place, key: string): string => `/${[place.bucket, ...(key ? key.split("/") : [])].map(quote).join("/")}`;

/** URL of an object, for presigned. */
export const objectUrl = (place: S3Place, key: string): string => `${new URL(place.endpoint).origin}${pathOf(place, key)}`;

/** A URL that lets its holder read one object for a while: the signature stands in the query. */
export function presigned(object: string, account: Account, seconds: number, now: Date): string {
  const { origin, host, pathname: path } = new URL(object);
  const stamp = stampOf(now);
  const query = {
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${account.accessKeyId}/${scopeOf(account, stamp)}`,
    "X-Amz-Date": stamp,
    "X-Amz-Expires": String(seconds),
    "X-Amz-SignedHeaders": "host",
  };
  const proof = signature(account, { method: "GET", path, query, headers: { host }, payload: "UNSIGNED-PAYLOAD" }, stamp);
  return `${origin}${path}?${queryText(query)}&X-Amz-Signature=${proof}`;
}

/** The answer, its body still to be read. Anything but 200 is an S3Failed. */
async function call(place: S3Place, key: string, query: Signed["query"], signal: AbortSignal): Promise<IncomingMessage> {
  const url = new URL(place.endpoint);
  const path = pathOf(place, key);
  const stamp = stampOf(new Date());
  const headers = { host: url.host, "x-amz-content-sha256": emptySha256, "x-amz-date": stamp };
  const sent = { ...headers, authorization: authorization(place, { method: "GET", path, query, headers, payload: emptySha256 }, stamp) };
  const what = `GET ${place.endpoint}${path}`;
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    const search = queryText(query);
    const options = { method: "GET", headers: sent, signal, timeout: idleMs, ...(place.ca ? { ca: place.ca } : {}) };
    const asked = (url.protocol === "http:" ? plainRequest : tlsRequest)(
      `${url.origin}${path}${search ? `?${search}` : ""}`,
      options,
      done,
    );
    asked.on("timeout", () => asked.destroy(new Error(`it said nothing for ${idleMs / 1000} s`)));
    asked.on("error", (cause) => fail(silent(place, cause, signal)));
    asked.end();
  });
  if (answer.statusCode === 200) return answer;
  throw refused(what, answer, await textOf(answer, place, signal), stamp);
}

function silent(place: S3Place, cause: Error, signal: AbortSignal): Error {
  if (signal.aborted) return cause;
  const { code = "" } = cause as NodeJS.ErrnoException;
  const hint = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)
    ? "its certificate is not believed: give the authority that signs it (--ca FILE)"
    : "look at the endpoint, at the server, and at what stands between";
  return new S3Failed(0, code, `${place.endpoint} does not answer (${cause.message || code}): ${hint}`);
}

const element = (xml: string, name: string): string => unescapeXml(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "");
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const unescapeXml = (text: string): string =>
  text.replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (whole, name: string) =>
    name.startsWith("#x")
      ? String.fromCodePoint(Number.parseInt(name.slice(2), 16))
      : name.startsWith("#")
        ? String.fromCodePoint(Number(name.slice(1)))
        : (entities[name] ?? whole),
  );

function refused(what: string, answer: IncomingMessage, body: string, stamp: string): S3Failed {
  const status = answer.statusCode ?? 0;
  const code = element(body, "Code");
  const words = [code, element(body, "Message").replace(/\.$/, "")].filter(Boolean).join(": ");
  const clocks = code === "RequestTimeTooSkewed" ? ` (here it is ${stamp}, there ${answer.headers.date ?? "unknown"})` : "";
  const hint = adviceFor(status, code);
  return new S3Failed(status, code, `${what}: HTTP ${status} ${words || (answer.statusMessage ?? "")}${clocks}${hint ? `: ${hint}` : ""}`);
}

async function textOf(answer: IncomingMessage, place: S3Place, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer) chunks.push(chunk as Buffer);
  } catch (cause) {
    throw silent(place, cause as Error, signal);
  }
  return Buffer.concat(chunks).toString();
}

export async function getText(place: S3Place, key: string, signal: AbortSignal): Promise<string> {
  return textOf(await call(place, key, {}, signal), place, signal);
}

/** The object piece by piece; a link that breaks is an S3Failed too. */
export async function* getChunks(place: S3Place, key: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const answer = await call(place, key, {}, signal);
  try {
    for await (const chunk of answer) yield chunk as Buffer;
  } catch (cause) {
    throw silent(place, cause as Error, signal);
  }
}

/** Names of everything below a prefix, however much it is. */
export async function listKeys(place: S3Place, prefix: string, signal: AbortSignal): Promise<readonly string[]> {
  const keys: string[] = [];
  let token = "";
  do {
    const more: Readonly<Record<string, string>> = token ? { "continuation-token": token } : {};
    const xml = await textOf(await call(place, "", { "list-type": "2", prefix, ...more }, signal), place, signal);
    if (!/<ListBucketResult[\s>]/.test(xml))
      throw new S3Failed(200, "", `${place.endpoint} answers, but not as an S3 server: correct the endpoint`);
    keys.push(...[...xml.matchAll(/<Contents>.*?<\/Contents>/gs)].map(([entry]) => element(entry, "Key")));
    token = element(xml, "NextContinuationToken");
  } while (token);
  return keys;
}
