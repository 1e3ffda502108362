// Everything that a cluster trusts, made once.
import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { type Issued, issueCertificate } from "./certificate.js";
import { privateKeyPem } from "./key.js";

export interface Pki {
  readonly uid: string;
  readonly ca: Issued;
  /** People's and the provider's client certificates: rotated without the nodes. */
  readonly clientCa: Issued;
  readonly etcdCa: Issued;
  readonly frontProxyCa: Issued;
  /** Service-account signing key and its public half, PEM. */
  readonly sa: { readonly key: string; readonly pub: string };
  /** Hex; join tokens are derived from it. */
  readonly tokenSeed: string;
}

export type Authorities = Pick<Pki, "ca" | "clientCa" | "etcdCa" | "frontProxyCa">;

/** `generation`: number of the rotation that they come from, 0 = the cluster's first; part of their names, so that two of a
 * kind are told apart. */
export function createAuthorities(cluster: string, caHours: number, generation: number, now = new Date()): Authorities {
  const notBefore = new Date(now.getTime() - 5 * 60_000);
  const notAfter = new Date(now.getTime() + caHours * 3_600_000);
  const authority = (what: string): Issued =>
    issueCertificate({ subject: { commonName: `${cluster} ${what}${generation === 0 ? "" : ` ${generation}`}` }, notBefore, notAfter });
  return {
    ca: authority("cluster CA"),
    clientCa: authority("client CA"),
    etcdCa: authority("etcd CA"),
    frontProxyCa: authority("front-proxy CA"),
  };
}

export function createPki(cluster: string, caHours: number, generation = 0, now = new Date()): Pki {
  const sa = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    uid: randomUUID(),
    ...createAuthorities(cluster, caHours, generation, now),
    sa: {
      key: privateKeyPem(sa.privateKey),
      pub: sa.publicKey.export({ type: "spki", format: "pem" }).toString(),
    },
    tokenSeed: randomBytes(32).toString("hex"),
  };
}
