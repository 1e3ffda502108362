// The few DER shapes that an X.509 certificate is made of. Own code, because the provider issues EC P-256 certificates only
// and loading a general library costs 110-140 ms in every process that talks to a cluster (docs/decisions/0004-x509.md).

const tagged = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const n = body.length;
  const length = n < 0x80 ? [n] : n < 0x100 ? [0x81, n] : [0x82, n >> 8, n & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);
export const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, "hex"));
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text, "utf8"));
export const octets = (bytes: Uint8Array): Buffer => tagged(0x04, bytes);
export const bits = (unused: number, bytes: Uint8Array): Buffer => tagged(0x03, Buffer.from([unused]), bytes);
export const yes: Buffer = tagged(0x01, Buffer.from([0xff]));
export const context = (number: number, constructed: boolean, bytes: Uint8Array): Buffer =>
  tagged((constructed ? 0xa0 : 0x80) | number, bytes);

/** A positive integer: a leading zero where the first bit would read as a sign. */
export function integer(bytes: Uint8Array): Buffer {
  return tagged(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** UTCTime until 2049, GeneralizedTime from 2050 on, as RFC 5280 wants it. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${digits}Z`));
}

/** PEM in lines of 64 characters, without an empty line at the end. */
export function pem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
