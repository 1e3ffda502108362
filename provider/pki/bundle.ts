// All of a cluster's trust as one JSON text, the way it travels from honest_pki to honest_boot.
import type { Pki } from "./create.js";

export interface Terms {
  readonly leafSeconds: number;
  /** RFC 3339 */
  readonly ticketNotAfter: string;
  /** Number of the rotation that the authorities come from. @default 0, the cluster's first */
  readonly generation?: number;
}

export const bundleOf = (pki: Pki, terms: Terms) => ({
  uid: pki.uid,
  ca_cert: pki.ca.cert,
  ca_key: pki.ca.key,
  client_ca_cert: pki.clientCa.cert,
  client_ca_key: pki.clientCa.key,
  etcd_ca_cert: pki.etcdCa.cert,
  etcd_ca_key: pki.etcdCa.key,
  front_proxy_ca_cert: pki.frontProxyCa.cert,
  front_proxy_ca_key: pki.frontProxyCa.key,
  sa_key: pki.sa.key,
  sa_pub: pki.sa.pub,
  token_seed: pki.tokenSeed,
  leaf_seconds: terms.leafSeconds,
  ticket_not_after: terms.ticketNotAfter,
  ...(terms.generation ? { generation: terms.generation } : {}),
});
