// The cluster-wide parts in the order in which they are applied: rights first, so that agents can approve certificates
// while the rest is still coming; the network before what needs it.
import { createHash } from "node:crypto";
import type { KubeObject } from "../object.js";
import { agentObject } from "./agent.js";
import { coredns } from "./coredns.js";
import { kubeProxy } from "./kube-proxy.js";
import { kubeRouter } from "./kube-router.js";
import type { CoreInput } from "./parts.js";
import { policyObject } from "./policy.js";
import { rbacObjects } from "./rbac.js";
import { rotationObjects } from "./rotation.js";

export const coreInventory = "honest-paas-inventory";

export function coreObjects(input: CoreInput): readonly KubeObject[] {
  return [
    ...rbacObjects(),
    ...(input.certificates ? [policyObject(input.certificates)] : []),
    ...(input.rotation ? rotationObjects(input.rotation) : []),
    ...(input.agent ? [agentObject(input.agent)] : []),
    ...kubeProxy(input),
    ...(input.cni === "kube-router" ? kubeRouter(input) : []),
    ...coredns(input),
  ];
}

/** Changes when any of the parts does. */
export const coreVersion = (objects: readonly KubeObject[]): string =>
  createHash("sha256").update(JSON.stringify(objects)).digest("hex").slice(0, 12);
