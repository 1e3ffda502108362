// A client of the Kubernetes API with the access that stands in a stack's state.
import { connect, type KubeClient } from "../../kube/client.js";
import { issueClient } from "../../pki/issue.js";
import type { ClusterAccess } from "./access.js";

export const clientOf = ({ endpoint, caBundle, clientCaCert, clientCaKey, serverName }: ClusterAccess): KubeClient =>
  connect(
    { endpoint, ca_bundle: caBundle, client_ca_cert: clientCaCert, client_ca_key: clientCaKey, server_name: serverName },
    { issue: issueClient },
  );
