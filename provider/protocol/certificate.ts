// The server certificate of one process: EC P-256, self-signed, a day long, never written to disk. Thirty lines of DER
// here save the 110-140 ms that loading an X.509 library costs at every start (docs/decisions/0001).
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const utcTime = (date: Date): Buffer => der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
const extension = (id: string, critical: boolean, value: Uint8Array): Buffer =>
  sequence(oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));

/** PEM lines of 64 characters; a last empty line would make OpenSSL refuse the file. */
export function pem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

export interface ServerCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  readonly der: Buffer;
}

/** go-plugin's client trusts exactly this certificate: it has to be a CA and to name localhost. */
export function createServerCertificate(now = new Date()): ServerCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const spki = publicKey.export({ type: "spki", format: "der" });
  const name = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from("localhost")))));
  const hour = 3_600_000;
  const keyId = createHash("sha1").update(spki).digest();
  const extensions = sequence(
    extension("551d13", true, sequence(der(0x01, Buffer.from([0xff])))),
    extension("551d0f", true, der(0x03, Buffer.from([2, 0xa4]))),
    extension("551d25", false, sequence(oid("2b06010505070301"), oid("2b06010505070302"))),
    extension("551d0e", false, der(0x04, keyId)),
    extension("551d11", false, sequence(der(0x82, Buffer.from("localhost")))),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaWithSha256,
    name,
    sequence(utcTime(new Date(now.getTime() - hour)), utcTime(new Date(now.getTime() + 24 * hour))),
    name,
    spki,
    der(0xa3, extensions),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    certPem: pem("CERTIFICATE", certificate),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    der: certificate,
  };
}
