// Opening what agents have sealed (docs/decisions/0011-snapshots.md): the MAC over all of it first, then AES-256-CTR.
import { createDecipheriv, createHmac, pbkdf2, timingSafeEqual } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);
const magic = Buffer.from("HPSEAL1\n");
const [saltBytes, macBytes, rounds] = [16, 32, 600_000];
const headBytes = magic.length + saltBytes;

/** Not opened, and why; nothing of it was decrypted. */
export class SealFailed extends Error {}

interface Keys {
  readonly key: Buffer;
  readonly start: Buffer;
  readonly mac: Buffer;
}

async function keysOf(passphrase: string, salt: Buffer): Promise<Keys> {
  const made = await derive(passphrase, salt, rounds, 80, "sha256");
  // openssl derives once more from the text that it is given
  const text = made.subarray(0, 48).toString("hex");
  const inner = await derive(text, Buffer.alloc(0), 1, 48, "sha256");
  return { key: inner.subarray(0, 32), start: inner.subarray(32), mac: made.subarray(48) };
}

/** The plain bytes of a sealed file, piece by piece, after the whole of it was proven. */
export async function* unsealed(path: string, passphrase: string): AsyncGenerator<Buffer> {
  const { size } = await stat(path);
  const body = size - macBytes;
  const file = await open(path);
  const [head, tag] = [Buffer.alloc(headBytes), Buffer.alloc(macBytes)];
  try {
    await file.read(head, 0, headBytes, 0);
    if (body >= headBytes) await file.read(tag, 0, macBytes, body);
  } finally {
    await file.close();
  }
  if (body < headBytes || !head.subarray(0, magic.length).equals(magic))
    throw new SealFailed("it is no sealed file of honest-paas, or is cut off");
  const { key, start, mac } = await keysOf(passphrase, head.subarray(magic.length));
  const proof = createHmac("sha256", mac);
  for await (const chunk of createReadStream(path, { end: body - 1 })) proof.update(chunk as Buffer);
  if (!timingSafeEqual(proof.digest(), tag))
    throw new SealFailed("it does not open: the passphrase is another one, or the file was changed or cut off");
  const cipher = createDecipheriv("aes-256-ctr", key, start);
  if (body === headBytes) return;
  for await (const chunk of createReadStream(path, { start: headBytes, end: body - 1 })) yield cipher.update(chunk as Buffer);
}

/** A small one, whole. */
export async function unsealedText(path: string, passphrase: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of unsealed(path, passphrase)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
