// The agent as nodes fetch it: one archive in a ConfigMap. A fix reaches every node without a new machine.
import { type KubeObject, systemNamespace } from "../object.js";
import { managedLabels } from "./parts.js";

export const agentConfigMap = "honest-paas-agent";

export const agentObject = (agent: { readonly archive: Buffer; readonly sha256: string; readonly version: string }): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: agentConfigMap, namespace: systemNamespace, labels: managedLabels },
  data: { sha256: agent.sha256, version: agent.version },
  binaryData: { "agent.tar.gz": agent.archive.toString("base64") },
});
