// Stand-ins of the size of the real thing for inputs that do not exist yet, so that a budget can be checked at plan. Keys do
// not compress: the stand-in is a hash chain, the same in every run.
import { createHash } from "node:crypto";
import type { MachineSpec } from "../../constructs/blueprint/machine-spec.js";
import type { LateInputs, PkiBundle } from "./document.js";

/** Base64 digits of an EC P-256 certificate and key as provider/pki makes them, rounded up. */
const certificateDigits = 640;
const keyDigits = 184;

function noise(what: string, digits: number): string {
  let text = "";
  for (let n = 0; text.length < digits; n += 1) text += createHash("sha256").update(`${what}/${n}`).digest("base64").slice(0, 42);
  return text.slice(0, digits);
}

const pem = (label: string, what: string, digits: number): string =>
  `-----BEGIN ${label}-----\n${(noise(what, digits).match(/.{1,64}/g) ?? []).join("\n")}\n-----END ${label}-----\n`;

export function samplePki(): PkiBundle {
  const cert = (what: string): string => pem("CERTIFICATE", what, certificateDigits);
  const key = (what: string): string => pem("PRIVATE KEY", what, keyDigits);
  return {
    uid: "00000000-0000-4000-8000-000000000000",
    ca_cert: cert("ca"),
    ca_key: key("ca-key"),
    client_ca_cert: cert("client"),
    client_ca_key: key("client-key"),
    etcd_ca_cert: cert("etcd"),
    etcd_ca_key: key("etcd-key"),
    front_proxy_ca_cert: cert("front"),
    front_proxy_ca_key: key("front-key"),
    sa_key: key("sa"),
    sa_pub: pem("PUBLIC KEY", "sa-pub", 124),
    token_seed: createHash("sha256").update("seed").digest("hex"),
    leaf_hours: 8760,
    ticket_not_after: "2000-01-01T00:00:00Z",
  };
}

export function sampleLate(spec: MachineSpec): LateInputs {
  const controlPlane = spec.role === "control-plane";
  const members = Object.fromEntries(["a", "b", "c", "d", "e"].map((letter, n) => [`${spec.cluster}-cp-${letter}`, `10.200.133.1${n}`]));
  return {
    endpoint_address: "10.200.133.100",
    address: controlPlane ? "10.200.133.10" : null,
    etcd_disk: controlPlane ? "honest-disk-0123456789" : null,
    pki: JSON.stringify(samplePki()),
    members: controlPlane ? members : {},
  };
}
