// A URL that lets its holder read one object of an S3 target for a while: signature version 4 in the query. Pure.
import { createHash, createHmac } from "node:crypto";

export interface Signer {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What S3 signs for at most. */
export const longestSeconds = 7 * 86_400;

const quoted = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** `object`: its URL without a query. */
export function presign(object: string, signer: Signer, seconds: number, now: Date): string {
  const url = new URL(object);
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = `${stamp.slice(0, 8)}/${signer.region}/s3/aws4_request`;
  const query = [
    ["X-Amz-Algorithm", "AWS4-HMAC-SHA256"],
    ["X-Amz-Credential", `${signer.accessKeyId}/${scope}`],
    ["X-Amz-Date", stamp],
    ["X-Amz-Expires", String(seconds)],
    ["X-Amz-SignedHeaders", "host"],
  ]
    .map((pair) => pair.map((part) => quoted(part ?? "")).join("="))
    .join("&");
  const path = decodeURIComponent(url.pathname).split("/").map(quoted).join("/");
  const request = ["GET", path, query, `host:${url.host}`, "", "host", "UNSIGNED-PAYLOAD"].join("\n");
  const words = ["AWS4-HMAC-SHA256", stamp, scope, createHash("sha256").update(request).digest("hex")].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${signer.secretAccessKey}`);
  return `${url.origin}${path}?${query}&X-Amz-Signature=${hmac(key, words).toString("hex")}`;
}
