// Which component versions go with a Kubernetes version. The table is data (constructs/spec/versions.json) so that the
// constructs, the provider and the docs read the same one.
import table from "../../constructs/spec/versions.json" with { type: "json" };

export interface Components {
  readonly kubernetes: string;
  readonly etcd: string;
  readonly coredns: string;
  readonly pause: string;
  readonly containerd: string;
  readonly runc: string;
  readonly cni: string;
  readonly crictl: string;
  readonly kubeRouter: string;
  readonly agnhost: string;
}

export const defaultVersion: string = table.default;
export const supportedVersions: readonly string[] = Object.keys(table.kubernetes);

/** Components of a supported version, or undefined: the caller words the problem with `supportedVersions`. */
export function componentsOf(version: string): Components | undefined {
  if (!Object.hasOwn(table.kubernetes, version)) return undefined;
  const found = (table.kubernetes as Record<string, Omit<Components, "kubernetes">>)[version];
  return found && { kubernetes: version, ...found };
}

/** Newest supported patch of a minor: latestOf("1.36") is "1.36.3". */
export function latestOf(minor: string): string | undefined {
  const patch = (version: string) => Number(version.split(".")[2]);
  return supportedVersions.filter((v) => v.startsWith(`${minor}.`)).sort((a, b) => patch(b) - patch(a))[0];
}
