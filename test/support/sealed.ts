// The seal of docs/decisions/0011-snapshots.md from the other side, for tests of who opens it.
import { createCipheriv, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

export function seal(plain: Buffer, passphrase: string): Buffer {
  const salt = randomBytes(16);
  const made = pbkdf2Sync(passphrase, salt, 600_000, 80, "sha256");
  const inner = pbkdf2Sync(made.subarray(0, 48).toString("hex"), "", 1, 48, "sha256");
  const cipher = createCipheriv("aes-256-ctr", inner.subarray(0, 32), inner.subarray(32));
  const body = Buffer.concat([Buffer.from("HPSEAL1\n"), salt, cipher.update(plain), cipher.final()]);
  return Buffer.concat([body, createHmac("sha256", made.subarray(48)).update(body).digest()]);
}
