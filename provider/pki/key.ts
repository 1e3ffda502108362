// Private keys as PEM.
import type { KeyObject } from "node:crypto";
import { integer, octets, oid, pem, sequence } from "./der.js";

const ecPublicKey = oid("2a8648ce3d0201");
const p256 = oid("2a8648ce3d030107");

/**
 * PKCS #8, which kubeadm, etcd and openssl all read, without the public half: every reader computes it, and in user-data
 * (16 KiB on some clouds) five of them would be 300 bytes that do not compress.
 */
export function privateKeyPem(key: KeyObject): string {
  const { d = "" } = key.export({ format: "jwk" });
  const scalar = Buffer.from(d, "base64url");
  const inner = sequence(integer(Buffer.from([1])), octets(scalar));
  return pem("PRIVATE KEY", sequence(integer(Buffer.from([0])), sequence(ecPublicKey, p256), octets(inner)));
}
