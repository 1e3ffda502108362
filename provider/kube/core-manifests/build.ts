// The cluster-wide parts in the order in which they are applied: rights first, so that agents can approve certificates
// while the rest is still coming; the network before what needs it.
import { createHash } from "node:crypto";
import type { KubeObject } from "../object.js";
import { agentObject } from "./agent.js";
import { backupKeysObject } from "./backup.js";
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
    ...(input.backupKeys ? [backupKeysObject(input.backupKeys)] : []),
    ...(input.certificates ? [policyObject(input.certificates, input.selfHeal ?? true, input.backup)] : []),
    ...(input.rotation ? rotationObjects(input.rotation) : []),
    ...(input.agent ? [agentObject(input.agent)] : []),
    ...kubeProxy(input),
    ...(input.cni === "kube-router" ? kubeRouter(input) : []),
    ...coredns(input),
  ];
}

/** Changes when any of the parts does; of keys it says nothing, since it is shown: who guesses one could check it here. */
export const coreVersion = (objects: readonly KubeObject[]): string =>
  createHash("sha256")
    .update(JSON.stringify(objects.map(withoutKeys)))
    .digest("hex")
    .slice(0, 12);

const withoutKeys = (object: KubeObject): KubeObject => (object.kind === "Secret" ? { ...object, data: undefined } : object);
