// The list of what the provider offers. Loaded after the handshake line.
import type { Provider, Resource } from "./framework/resource.js";
import { honestBarrier } from "./resources/honest-barrier.js";
import { honestBoot } from "./resources/honest-boot.js";
import { honestCluster } from "./resources/honest-cluster.js";
import { honestKubeconfig } from "./resources/honest-kubeconfig.js";
import { honestLocalBalancer } from "./resources/honest-local-balancer.js";
import { honestLocalDisk } from "./resources/honest-local-disk.js";
import { honestLocalMachine } from "./resources/honest-local-machine.js";
import { honestLocalNetwork } from "./resources/honest-local-network.js";
import { honestNode } from "./resources/honest-node.js";
import { honestNodeGroup } from "./resources/honest-node-group.js";
import { honestPki } from "./resources/honest-pki.js";
import { makersOf } from "./resources/managed/session.js";
import { version } from "./version.js";

/** What the constructs make resources of a plan of, and the managed resources make themselves. */
const own: readonly Resource[] = [
  ...[honestPki, honestBoot, honestNode, honestBarrier],
  ...[honestLocalNetwork, honestLocalDisk, honestLocalMachine, honestLocalBalancer],
];

export async function loadProvider(): Promise<Provider> {
  const makers = makersOf(own);
  return {
    version,
    schema: {
      version: 0,
      description: "Managed Kubernetes that you build yourself from a cloud's public API.",
      attributes: {
        docker_host: {
          type: "string",
          optional: true,
          description:
            'Docker engine of the local IaaS, as "unix:///path" or "tcp://host:port". Default: the environment variable DOCKER_HOST, else "unix:///var/run/docker.sock".',
        },
        cache_dir: {
          type: "string",
          optional: true,
          description:
            "Folder for built artefacts and machine images. Default: the environment variable HONEST_PAAS_CACHE, else honest-paas below XDG_CACHE_HOME or ~/.cache.",
        },
      },
    },
    resources: [honestCluster(makers), honestNodeGroup(makers), ...own],
    dataSources: [],
    ephemeralResources: [honestKubeconfig],
  };
}
