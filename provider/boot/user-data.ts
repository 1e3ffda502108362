// From inputs to the bytes a machine boots with, and the budget: a cloud that cuts user-data off would make a machine that
// never comes up and says nothing.
import { canonicalJson, etcdNumber, type MachineSpec } from "../../constructs/blueprint/machine-spec.js";
import { componentsOf } from "../mirror/versions.js";
import { bootDocument, type DocumentInputs } from "./document.js";
import { type Encoded, type Encoding, encodeUserData, gzip } from "./encode.js";
import { bootPieces, bootSources, sentTo } from "./gen/cloud-init-sources.js";
import { composeMime } from "./mime.js";

export interface UserData extends Encoded {
  /** Packed sizes of the parts, asked for when a budget is exceeded. */
  readonly used: () => Readonly<Record<"boot stage" | "boot document", number> & Record<string, number>>;
}

/** A machine is sent what it runs: by its role, whether its cluster was restored, and whether it fetches its programs. */
export const sourcesOf = (spec: MachineSpec): Readonly<Record<string, string>> => {
  const foreign = new Set([
    ...sentTo[spec.role === "worker" ? "control-plane" : "worker"],
    ...(etcdNumber(spec) > 0 ? [] : sentTo.restored),
    ...(spec.mirror_binaries === null ? sentTo.mirror : []),
  ]);
  const program = bootPieces.filter(([name]) => !foreign.has(name)).map(([, text]) => text);
  return { ...bootSources, "honest/__main__.py": program.join("") };
};

export function renderUserData(
  inputs: Omit<DocumentInputs, "runtime">,
  encoding: Encoding,
  sources: Readonly<Record<string, string>> = sourcesOf(inputs.spec),
): UserData {
  const document = bootDocument({ ...inputs, runtime: runtimeOf(inputs.spec.version) });
  const extra = inputs.spec.user_data_parts ?? {};
  const encoded = encodeUserData(composeMime(sources, document, extra), encoding);
  const used = () => ({
    "boot stage": gzip(Object.values(sources).join("")).length,
    "boot document": gzip(canonicalJson(document)).length,
    ...Object.fromEntries(Object.entries(extra).map(([name, { content }]) => [`user_data_parts ${name}`, gzip(content).length])),
  });
  return { ...encoded, used };
}

/** Versions that a machine installs or names; what only the barrier applies is none of its business. */
function runtimeOf(version: string): Readonly<Record<string, string>> {
  const found = componentsOf(version);
  if (!found) return {};
  const { etcd, containerd, runc, cni, coredns, pause } = found;
  return { etcd, containerd, runc, cni, coredns, pause };
}

/** The words of an exceeded budget, or undefined. */
export function overBudget(data: UserData, limit: number, name: string): string | undefined {
  if (data.bytes <= limit) return undefined;
  const largestFirst = Object.entries(data.used()).sort(([, a], [, b]) => b - a);
  const used = largestFirst.map(([what, bytes]) => `${what} ${bytes}`);
  return `The user-data of ${name} has ${data.bytes} bytes packed; this cloud takes ${limit}. Packed alone: ${used.join(", ")}. Shorten the lists of the spec (cert_names, component_flags, taints, labels, mirror_ca, user_data_parts).`;
}
