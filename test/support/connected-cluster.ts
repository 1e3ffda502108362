// A stand-in cluster with a client of it, for tests of what is said to the Kubernetes API.
import { connect, type KubeClient } from "../../provider/kube/client.js";
import { issueTestClient } from "./stand-in/certificates.js";
import { type StandIn, standInCluster } from "./stand-in-cluster.js";

export interface Connected {
  readonly cluster: StandIn;
  readonly client: KubeClient;
  close(): Promise<void>;
}

export async function connectedCluster(): Promise<Connected> {
  const cluster = await standInCluster();
  const client = connect(cluster.access, { issue: issueTestClient });
  return {
    cluster,
    client,
    async close() {
      await client.close();
      await cluster.close();
    },
  };
}
