// User-data packed for a cloud's size limit. Deterministic on every operating system: no time, and the header's OS byte is
// set to "unknown".
import { gzipSync } from "node:zlib";

export type Encoding = "gzip_base64" | "plain";

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
  return { text: packed.toString("base64"), bytes: packed.length };
}
