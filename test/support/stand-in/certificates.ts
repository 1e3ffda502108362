// Certificates for stand-ins on loopback: a CA, a server for 127.0.0.1, clients.
import "reflect-metadata";
import { createPrivateKey, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { IssueClient } from "../../../provider/kube/access.js";

const crypto = webcrypto;
x509.cryptoProvider.set(crypto as never);
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const pem = (der: ArrayBuffer): string =>
  `-----BEGIN PRIVATE KEY-----\n${(
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? []
  ).join("\n")}\n-----END PRIVATE KEY-----\n`;
/** Any PEM form of a key as PKCS#8. */
const pkcs8 = (text: string): Buffer => createPrivateKey(text).export({ format: "der", type: "pkcs8" });
const serialNumber = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(8)))
    .toString("hex")
    .replace(/^[89a-f]/, "1");
export interface Dates {
  readonly notBefore: Date;
  readonly notAfter: Date;
}
const dates = (): Dates => ({ notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) });

export async function createCa(name: string): Promise<KeyPair> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}`,
    ...dates(),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return { cert: `${cert.toString("pem")}\n`, key: pem(await crypto.subtle.exportKey("pkcs8", keys.privateKey)) };
}

async function issue(ca: KeyPair, subject: string, extensions: readonly x509.Extension[], when = dates()): Promise<KeyPair> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const signingKey = await crypto.subtle.importKey("pkcs8", pkcs8(ca.key), algorithm, false, ["sign"]);
  const issuer = new x509.X509Certificate(ca.cert);
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject,
    issuer: issuer.subject,
    ...when,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [...extensions],
  });
  return { cert: `${cert.toString("pem")}\n`, key: pem(await crypto.subtle.exportKey("pkcs8", keys.privateKey)) };
}

export const createServer = (ca: KeyPair, address = "127.0.0.1", when = dates()): Promise<KeyPair> =>
  issue(
    ca,
    "CN=stand-in api",
    [
      new x509.SubjectAlternativeNameExtension([
        { type: "ip", value: address },
        { type: "dns", value: "localhost" },
        // the nodes' name for the API of the cluster that tests call "demo"
        { type: "dns", value: "api.demo.honest.internal" },
      ]),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
    when,
  );

/** What provider/pki does, made independently. */
export const issueTestClient: IssueClient = ({ caCert, caKey, commonName, organizations }) =>
  issue({ cert: caCert, key: caKey }, [...organizations.map((o) => `O=${o}`), `CN=${commonName}`].join(", "), [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
