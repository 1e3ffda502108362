// The seal of docs/decisions/0011-snapshots.md from the other side, for tests of who opens it.
import { createCipheriv, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

/** One derivation for each passphrase: it is slow on purpose, and tests seal often. */
const derived = new Map<string, { readonly salt: Buffer; readonly made: Buffer }>();

export function seal(plain: Buffer, passphrase: string): Buffer {
  const known = derived.get(passphrase);
  const salt = known?.salt ?? randomBytes(16);
  const made = known?.made ?? pbkdf2Sync(passphrase, salt, 600_000, 80, "sha256");
  derived.set(passphrase, { salt, made });
  const inner = pbkdf2Sync(made.subarray(0, 48).toString("hex"), "", 1, 48, "sha256");
  const cipher = createCipheriv("aes-256-ctr", inner.subarray(0, 32), inner.subarray(32));
  const body = Buffer.concat([Buffer.from("HPSEAL1\n"), salt, cipher.update(plain), cipher.final()]);
  return Buffer.concat([body, createHmac("sha256", made.subarray(48)).update(body).digest()]);
}
