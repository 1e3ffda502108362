// What agents are told about their work. A change takes effect in place within a minute and rolls no machine.
import { type KubeObject, systemNamespace } from "../object.js";
import { type BackupPolicy, type CertificatePolicy, managedLabels } from "./parts.js";

export const policyConfigMap = "honest-paas-policy";

/** selfHeal: whether agents mend what they find broken, or only say so. */
export const policyObject = (certificates: CertificatePolicy, selfHeal: boolean, backup?: BackupPolicy): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: policyConfigMap, namespace: systemNamespace, labels: managedLabels },
  data: {
    certificates: JSON.stringify({
      lifetime_seconds: certificates.lifetimeSeconds,
      renew_before_seconds: certificates.renewBeforeSeconds,
    }),
    ...(backup ? { backup: JSON.stringify(backup) } : {}),
    self_heal: JSON.stringify({ enabled: selfHeal }),
  },
});
