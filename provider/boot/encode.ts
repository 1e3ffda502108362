// User-data packed for a cloud's size limit. Deterministic on every operating system: no time, and the header's OS byte is
// set to "unknown".
import { gzipSync } from "node:zlib";

/** "gzip_base64_text": the same text as "gzip_base64", in a cloud that counts the text and not what is in it. */
export type Encoding = "gzip_base64" | "gzip_base64_text" | "plain";

export const encodings: readonly Encoding[] = ["gzip_base64", "gzip_base64_text", "plain"];

export interface Encoded {
  /** What the vendor's argument gets. */
  readonly text: string;
  /** Bytes that the cloud counts. */
  readonly bytes: number;
}

export function gzip(text: string): Buffer {
  const packed = gzipSync(text, { level: 9 });
  // bytes 4-7 are the time, byte 9 the operating system
  packed.fill(0, 4, 8);
  packed[9] = 0xff;
  return packed;
}

export function encodeUserData(mime: string, encoding: Encoding): Encoded {
  if (encoding === "plain") return { text: mime, bytes: Buffer.byteLength(mime) };
  const packed = gzip(mime);
  const text = packed.toString("base64");
  return { text, bytes: encoding === "gzip_base64_text" ? text.length : packed.length };
}
