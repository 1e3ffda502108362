// Node objects for tests, as a kubelet and our agent write them.
import type { KubeObject } from "../../provider/kube/object.js";

export interface NodeLook {
  readonly ready?: boolean;
  readonly reason?: string;
  readonly message?: string;
  /** Milliseconds since the epoch. */
  readonly heartbeatAt?: number;
  readonly readySince?: number;
  readonly machineId?: string;
  readonly bootedAt?: number;
  readonly agentAt?: number;
  readonly release?: string;
  /** Stage of the boot stage. @default "ready" */
  readonly stage?: string;
  readonly etcd?: {
    readonly at: number;
    readonly members: readonly {
      readonly name: string;
      readonly learner?: boolean;
      readonly answers?: boolean;
      readonly leader?: boolean;
    }[];
  };
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}
const time = (ms: number): string => new Date(ms).toISOString();

export function kubeNode(name: string, look: NodeLook = {}): KubeObject {
  const { ready = true, machineId, agentAt, bootedAt, release, etcd } = look;
  const status =
    agentAt === undefined
      ? undefined
      : {
          machine_id: machineId,
          release,
          stage: look.stage ?? "ready",
          at: time(agentAt),
          ...(bootedAt === undefined ? {} : { booted_at: time(bootedAt) }),
        };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      resourceVersion: "7",
      labels: look.labels ?? {},
      annotations: {
        ...(status ? { "honest-paas.dev/status": JSON.stringify(status) } : {}),
        ...(etcd ? { "honest-paas.dev/etcd": JSON.stringify({ ...etcd, at: time(etcd.at), number: 0 }) } : {}),
        ...look.annotations,
      },
    },
    spec: look.spec ?? {},
    status: {
      nodeInfo: { kubeletVersion: "v1.36.3" },
      conditions: [
        {
          type: "Ready",
          status: ready ? "True" : "False",
          reason: look.reason ?? (ready ? "KubeletReady" : "KubeletNotReady"),
          message: look.message ?? "",
          ...(look.heartbeatAt === undefined ? {} : { lastHeartbeatTime: time(look.heartbeatAt) }),
          ...(look.readySince === undefined ? {} : { lastTransitionTime: time(look.readySince) }),
        },
      ],
    },
  };
}
