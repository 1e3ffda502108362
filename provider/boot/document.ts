// The boot document: the typed data a machine receives. Pure: spec (static), late inputs (what only exists at apply) and
// what changes in place, into one object per role. A worker never gets a CA key.
import { etcdNumber, type MachineSpec, releaseOf } from "../../constructs/blueprint/machine-spec.js";
import { workerToken } from "./token.js";

export interface LateInputs {
  /** Address of the endpoint as nodes reach it. */
  readonly endpoint_address: string;
  /** The machine's fixed address; null = whatever it gets (workers). */
  readonly address: string | null;
  /** Name of the etcd disk below /dev/disk/by-id, or its whole path; null on workers. */
  readonly etcd_disk: string | null;
  /** honest_pki.bundle */
  readonly pki: string;
  /** Control planes: name to address; birth data, no part of a release. */
  readonly members: Readonly<Record<string, string>>;
}

const pkiTexts = [
  "uid",
  "ca_cert",
  "ca_key",
  "client_ca_cert",
  "client_ca_key",
  "etcd_ca_cert",
  "etcd_ca_key",
  "front_proxy_ca_cert",
  "front_proxy_ca_key",
  "sa_key",
  "sa_pub",
  "token_seed",
  "ticket_not_after",
] as const;

export type PkiBundle = { readonly [name in (typeof pkiTexts)[number]]: string } & {
  readonly leaf_seconds: number;
  /** Number of the rotation that its authorities come from; left out = 0, the cluster's first. */
  readonly generation?: number;
};

/** undefined when the text is not what honest_pki makes. */
export function parsePki(text: string): PkiBundle | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
  const bundle = (data ?? {}) as Partial<PkiBundle>;
  const whole = pkiTexts.every((name) => typeof bundle[name] === "string") && typeof bundle.leaf_seconds === "number";
  return whole ? (bundle as PkiBundle) : undefined;
}

/** Number of the authorities in a bundle of honest_pki; 0 for a text that is none. */
export const generationIn = (bundle: unknown): number => (typeof bundle === "string" ? (parsePki(bundle)?.generation ?? 0) : 0);

/** Where a machine finds the snapshot that its cluster goes back to. */
export interface RestoreSource {
  readonly url: string;
  /** Of a sealed snapshot; null: it is not sealed. */
  readonly passphrase: string | null;
  /** RFC 3339, UTC: no machine goes back after that. */
  readonly not_after: string;
}

export interface DocumentInputs {
  readonly spec: MachineSpec;
  readonly late: LateInputs;
  readonly taints: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** The API of this cluster has been seen once: no ticket. */
  readonly born: boolean;
  /** Given while the cluster is to go back to the snapshot of its spec. @default null */
  readonly restore?: RestoreSource | null;
  /** Component versions that go with the Kubernetes version. */
  readonly runtime: Readonly<Record<string, string>>;
}

const diskName = (disk: string): string => disk.slice(disk.lastIndexOf("/") + 1);

/** Tenth address of the service range, where the cluster's DNS is. */
export function clusterDns(cidr: string): string {
  const [base = "", size = "0"] = cidr.split("/");
  const number = base.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const block = 2 ** (32 - Number(size));
  const address = Math.floor(number / block) * block + 10;
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

export function bootDocument(inputs: DocumentInputs): Record<string, unknown> {
  const { spec, late } = inputs;
  const pki = parsePki(late.pki);
  if (!pki) throw new Error("late.pki is no bundle of honest_pki");
  const controlPlane = spec.role === "control-plane";
  // what the document carries, whatever the spec asks for by now
  const release = releaseOf({ ...spec, authorities: pki.generation ?? 0 });
  const restore = controlPlane && spec.restore && inputs.restore ? { ...inputs.restore, sha256: spec.restore.sha256 } : null;
  return {
    schema: 1,
    epoch: spec.template_epoch,
    cluster: { name: spec.cluster, uid: pki.uid },
    node: { name: spec.name, role: spec.role, pool: spec.pool, release },
    version: spec.version,
    endpoint: { name: spec.endpoint_name, port: spec.endpoint_port, address: late.endpoint_address },
    address: late.address,
    network: {
      pod_cidr: spec.pod_ipv4_cidr,
      service_cidr: spec.service_ipv4_cidr,
      cluster_dns: clusterDns(spec.service_ipv4_cidr),
      cluster_domain: "cluster.local",
    },
    members: controlPlane ? late.members : {},
    etcd: controlPlane ? { disk: diskName(late.etcd_disk ?? ""), number: etcdNumber(spec) } : null,
    ...(restore ? { restore } : {}),
    ticket: controlPlane && !inputs.born ? { cluster_uid: pki.uid, not_after: pki.ticket_not_after } : null,
    pki: controlPlane
      ? {
          ca_cert: pki.ca_cert,
          ca_key: pki.ca_key,
          client_ca_cert: pki.client_ca_cert,
          client_ca_key: pki.client_ca_key,
          etcd_ca_cert: pki.etcd_ca_cert,
          etcd_ca_key: pki.etcd_ca_key,
          front_proxy_ca_cert: pki.front_proxy_ca_cert,
          front_proxy_ca_key: pki.front_proxy_ca_key,
          sa_key: pki.sa_key,
        }
      : { ca_cert: pki.ca_cert, client_ca_cert: pki.client_ca_cert },
    join: controlPlane ? null : { token: workerToken(pki.token_seed, spec.name, release) },
    kubelet: { taints: inputs.taints, labels: inputs.labels },
    component_flags: spec.component_flags,
    cert_names: spec.cert_names,
    leaf_seconds: pki.leaf_seconds,
    mirror: { binaries: spec.mirror_binaries, images: spec.mirror_images, ca: spec.mirror_ca },
    runtime: inputs.runtime,
  };
}
