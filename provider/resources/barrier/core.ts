// The cluster-wide parts of one barrier: which version they are, what they are, their digest. Pure but for the packed agent.

import versions from "../../../constructs/spec/versions.json" with { type: "json" };
import type { Context } from "../../framework/resource.js";
import { hasUnknown, type ObjectValue } from "../../framework/value.js";
import { coreObjects, coreVersion } from "../../kube/core-manifests/build.js";
import type { KubeObject } from "../../kube/object.js";
import { oldestOf } from "../../rollout/versions.js";
import { packedAgent } from "../cluster/agent.js";
import { backupKeys, backupPolicy } from "./backup.js";
import { certificatePolicy } from "./certificates.js";

export interface Core {
  readonly objects: readonly KubeObject[];
  readonly version: string;
  readonly agentSha256: string;
}
interface Components {
  readonly coredns: string;
  readonly kubeRouter: string;
}

const table = versions.kubernetes as Readonly<Record<string, Components | undefined>>;

const needed = [
  "cluster",
  "version",
  "cni",
  "pod_traffic",
  "endpoint_name",
  "endpoint_port",
  "pod_ipv4_cidr",
  "service_ipv4_cidr",
  "certificate_lifetime",
  "certificate_renew_before",
  "rotation",
  "backup",
  "self_heal",
] as const;

/** undefined when an input is not known yet or the version is not one of this kit's. */
export async function coreOf(value: ObjectValue, kubernetes: string, context: Context): Promise<Core | undefined> {
  if (needed.some((name) => hasUnknown(value[name] ?? null))) return undefined;
  const components = table[kubernetes];
  if (!components) return undefined;
  const agent = await packedAgent(context);
  const objects = coreObjects({
    cluster: String(value.cluster),
    version: kubernetes,
    endpointName: String(value.endpoint_name),
    endpointPort: Number(value.endpoint_port ?? 6443),
    podCidr: String(value.pod_ipv4_cidr),
    serviceCidr: String(value.service_ipv4_cidr),
    clusterDomain: "cluster.local",
    cni: value.cni === "none" ? "none" : "kube-router",
    podTraffic: value.pod_traffic === "tunnelled" ? "tunnelled" : "routed",
    coredns: components.coredns,
    kubeRouter: components.kubeRouter,
    certificates: certificatePolicy(value),
    ...(typeof value.rotation === "string" ? { rotation: value.rotation } : {}),
    backup: backupPolicy(value),
    backupKeys: backupKeys(value),
    selfHeal: value.self_heal !== false,
    agent,
  });
  return { objects, version: coreVersion(objects), agentSha256: agent.sha256 };
}

/**
 * The version that the cluster-wide parts have while control planes move one by one: the lowest that an API server still
 * runs. Else the first machine of an upgrade would hand everybody a kube-proxy that is too new.
 */
export function coreKubernetes(wanted: string, running: readonly string[]): string {
  return oldestOf([wanted, ...running]) ?? wanted;
}
