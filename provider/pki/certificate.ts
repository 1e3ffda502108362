// X.509 version 3 certificates with EC P-256 keys and ECDSA-SHA256 signatures.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { bits, context, integer, octets, oid, pem, sequence, set, time, utf8, yes } from "./der.js";
import { privateKeyPem } from "./key.js";

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface Issued {
  /** PEM */
  readonly cert: string;
  /** PEM, PKCS #8 without the public half. */
  readonly key: string;
}

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));

/** Organizations before the common name, the order that Kubernetes' own certificates have. */
const name = ({ commonName, organizations = [] }: Subject): Buffer =>
  sequence(...organizations.map((o) => set(sequence(oid("55040a"), utf8(o)))), set(sequence(oid("550403"), utf8(commonName))));

const extension = (id: string, critical: boolean, value: Uint8Array): Buffer =>
  sequence(oid(id), ...(critical ? [yes] : []), octets(value));
const keyId = (key: KeyObject): Buffer =>
  createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();

const authorityExtensions = (key: KeyObject): readonly Buffer[] => [
  extension("551d13", true, sequence(yes)),
  // keyCertSign, cRLSign, digitalSignature
  extension("551d0f", true, bits(1, Buffer.from([0x86]))),
  extension("551d0e", false, octets(keyId(key))),
];

export interface CertificateRequest {
  readonly subject: Subject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Left out = self-signed CA. */
  readonly issuer?: { readonly cert: string; readonly key: string };
}

/** What stands in a certificate; names as they are encoded. */
interface Content {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function signed(content: Content, signer: KeyObject): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    context(0, true, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    content.issuer,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    content.publicKey.export({ type: "spki", format: "der" }),
    context(3, true, sequence(...content.extensions)),
  );
  return pem("CERTIFICATE", sequence(body, ecdsaWithSha256, bits(0, sign("sha256", body, signer))));
}

/** Key of whoever signed. */
const signedBy = (signer: KeyObject): Buffer => extension("551d23", false, sequence(context(0, false, keyId(createPublicKey(signer)))));

export function issueCertificate({ subject, notBefore, notAfter, issuer }: CertificateRequest): Issued {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signer = issuer ? createPrivateKey(issuer.key) : privateKey;
  const extensions =
    issuer === undefined
      ? authorityExtensions(publicKey)
      : [
          extension("551d13", true, sequence()),
          extension("551d0f", true, bits(7, Buffer.from([0x80]))),
          // clientAuth
          extension("551d25", false, sequence(oid("2b06010505070302"))),
          signedBy(signer),
        ];
  const named = name(subject);
  const content = { issuer: issuer ? issuerName(issuer.cert) : named, subject: named, notBefore, notAfter, publicKey, extensions };
  return { cert: signed(content, signer), key: privateKeyPem(privateKey) };
}

/**
 * The subject of one authority certified by another: whoever trusts only `by` accepts what `of` signs, when this travels with
 * it. Ends with the first of the two; PEM.
 */
export function crossSign(of: string, by: { readonly cert: string; readonly key: string }): string {
  const { publicKey, validFrom } = new X509Certificate(of);
  const signer = createPrivateKey(by.key);
  const content = {
    issuer: issuerName(by.cert),
    subject: issuerName(of),
    notBefore: new Date(validFrom),
    notAfter: new Date(Math.min(expiryOf(of).getTime(), expiryOf(by.cert).getTime())),
    publicKey,
    extensions: [...authorityExtensions(publicKey), signedBy(signer)],
  };
  return signed(content, signer);
}

/** The issuer's subject exactly as its certificate has it: a re-encoded name would not match byte for byte. */
function issuerName(cert: string): Buffer {
  const der = new X509Certificate(cert).raw;
  // Certificate > TBSCertificate > [0] version, serial, algorithm, issuer, validity, subject
  let at = enter(der, enter(der, 0));
  for (let skipped = 0; skipped < 5; skipped += 1) at = after(der, at);
  return Buffer.from(der.subarray(at, after(der, at)));
}

function header(der: Buffer, at: number): { readonly body: number; readonly end: number } {
  const first = der[at + 1] ?? 0;
  const wide = first & 0x80 ? first & 0x7f : 0;
  const length = wide ? der.readUIntBE(at + 2, wide) : first;
  return { body: at + 2 + wide, end: at + 2 + wide + length };
}
const enter = (der: Buffer, at: number): number => header(der, at).body;
const after = (der: Buffer, at: number): number => header(der, at).end;

export const expiryOf = (cert: string): Date => new Date(new X509Certificate(cert).validTo);
