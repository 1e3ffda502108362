// Keys of the backup's target. In this namespace only agents of control planes read Secrets, and the API server's own admins.
import { type KubeObject, systemNamespace } from "../object.js";
import { type BackupKeys, managedLabels } from "./parts.js";

export const backupSecret = "honest-paas-backup";

export const backupKeysObject = (keys: BackupKeys): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: backupSecret, namespace: systemNamespace, labels: managedLabels },
  type: "Opaque",
  data: Object.fromEntries(Object.entries(keys).map(([name, text]) => [name, Buffer.from(text).toString("base64")])),
});
