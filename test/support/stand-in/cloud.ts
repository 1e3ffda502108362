// The local IaaS without an engine: the same four resources with the same schemas, machines of the stand-in cluster behind
// them. A machine reads its own user-data, as a real one does; the first control plane brings the API up with the keys it
// was given. So a whole synthesized stack runs under a real terraform in seconds.
import { gunzipSync } from "node:zlib";
import type { Provider, Resource } from "../../../provider/framework/resource.js";
import { isUnknown, type ObjectValue, unknown } from "../../../provider/framework/value.js";
import { loadProvider } from "../../../provider/provider.js";
import { machineIsGone } from "../../../provider/resources/cluster/gone.js";
import { honestCluster } from "../../../provider/resources/honest-cluster.js";
import { honestNodeGroup } from "../../../provider/resources/honest-node-group.js";
import { type Makers, makersOf } from "../../../provider/resources/managed/session.js";
import { createStandIn, type StandIn } from "../stand-in-cluster.js";
import type { Timing } from "./machines.js";

export interface BootDocument {
  readonly node: { readonly name: string; readonly role: "control-plane" | "worker"; readonly release: string };
  readonly version: string;
  readonly members: Readonly<Record<string, string>>;
  readonly pki: Readonly<Record<string, string>>;
  readonly etcd: { readonly number: number } | null;
  readonly restore?: { readonly url: string };
}

export interface StandInCloud {
  readonly provider: Provider;
  readonly cluster: StandIn;
  /** Machines of these names (workers: first part) never come up. */
  readonly broken: Set<string>;
  /** Machines that are made now find no snapshot that they can read. */
  stuck: boolean;
  /** Terraform's objects by type and id. */
  readonly objects: Map<string, string>;
  close(): Promise<void>;
}

export interface CloudOptions {
  /** Port that the balancer publishes. */
  readonly port: number;
  readonly timing?: Partial<Timing>;
}

export async function standInCloud(options: CloudOptions): Promise<StandInCloud> {
  const cluster = createStandIn({ founders: [], ...(options.timing ? { timing: options.timing } : {}) });
  const broken = new Set<string>();
  const objects = new Map<string, string>();
  let serving: Promise<void> | undefined;
  let count = 0;

  const simple = (real: Resource, prefix: string, extra: (value: ObjectValue, id: string) => ObjectValue): Resource => ({
    ...plain(real),
    // what the cloud gave stays while nothing is replaced
    plan: async ({ prior, proposed }) => ({
      planned:
        prior && proposed
          ? Object.fromEntries(Object.entries(proposed).map(([name, value]) => [name, isUnknown(value) ? (prior[name] ?? null) : value]))
          : proposed,
    }),
    async create({ planned }) {
      const id = `${prefix}-${++count}`;
      objects.set(id, real.name);
      return { state: { ...planned, id, ...extra(planned, id) } };
    },
    read: async ({ state }) => ({ state: objects.has(String(state.id)) ? state : null }),
    update: async ({ planned, prior }) => ({ state: { ...planned, id: prior?.id ?? null, ...extra(planned, String(prior?.id)) } }),
    async delete({ prior }) {
      objects.delete(String(prior.id));
      return { state: null };
    },
  });

  const machine = (real: Resource): Resource => ({
    ...plain(real),
    async plan({ prior, proposed }) {
      if (!proposed) return { planned: null };
      const address = proposed.address ?? prior?.ip_address ?? unknown;
      return { planned: { ...proposed, id: prior?.id ?? unknown, ip_address: address, running: true } };
    },
    async create({ planned }) {
      const document = bootDocument(String(planned.user_data_base64));
      const { name, role, release } = document.node;
      // as the local IaaS does: what an earlier run made and did not write down is taken up, and an address is given once
      const there = role === "control-plane" ? cluster.machines.on(name) : undefined;
      if (there) {
        if (there.release !== release) throw new Error(`the address of ${name} is in use by machine ${there.id}`);
        return { state: { ...planned, id: there.id, ip_address: planned.address ?? null, running: true } };
      }
      if (role === "control-plane") {
        cluster.machines.found(Object.keys(document.members));
        const { ca_cert = "", ca_key = "", client_ca_cert = "", client_ca_key = "" } = document.pki;
        serving ??= cluster.serve({
          ca: { cert: ca_cert, key: ca_key },
          clientCa: { cert: client_ca_cert, key: client_ca_key },
          port: options.port,
        });
        await serving;
      }
      const made = cluster.start({
        name,
        role,
        release,
        version: document.version,
        broken: broken.has(name),
        authority: document.pki.ca_cert ?? "",
        number: document.etcd?.number ?? 0,
        restores: document.restore !== undefined && !standIn.stuck,
      });
      return { state: { ...planned, id: made.id, ip_address: planned.address ?? `10.98.0.${128 + (++count % 120)}`, running: true } };
    },
    async read({ state }, context) {
      const id = String(state.id);
      if (cluster.machines.living.has(id)) return { state };
      machineIsGone(context, id);
      return { state: null };
    },
    update: async ({ planned }) => ({ state: planned }),
    async delete({ prior }) {
      cluster.stop(String(prior.id));
      return { state: null };
    },
  });

  const real = await loadProvider();
  const standIns: Readonly<Record<string, (r: Resource) => Resource>> = {
    honest_local_network: (r) => simple(r, "net", () => ({ gateway: "10.98.0.1" })),
    honest_local_disk: (r) => simple(r, "disk", (_, id) => ({ device_id: `/dev/disk/by-id/honest-${id}` })),
    honest_local_balancer: (r) =>
      simple(r, "lb", () => ({ published_port: options.port, running: true, endpoint: `https://127.0.0.1:${options.port}` })),
    honest_local_machine: machine,
  };
  const standIn: StandInCloud = {
    provider: { ...real, resources: managedOver(real.resources.map((r) => standIns[r.name]?.(r) ?? r)) },
    cluster,
    broken,
    stuck: false,
    objects,
    close: () => cluster.close(),
  };
  return standIn;
}

/** The managed resources make what the stand-in makes. */
function managedOver(resources: readonly Resource[]): readonly Resource[] {
  const managed: Readonly<Record<string, (makers: Makers) => Resource>> = {
    honest_cluster: honestCluster,
    honest_node_group: honestNodeGroup,
  };
  const makers = makersOf(resources.filter(({ name }) => managed[name] === undefined));
  return resources.map((resource) => managed[resource.name]?.(makers) ?? resource);
}

/** Schema and name of the real one, and tags as most clouds have them, changed in place; its behaviour is replaced whole. */
const plain = ({ name, schema }: Resource): Pick<Resource, "name" | "schema"> => ({
  name,
  schema: { ...schema, attributes: { ...schema.attributes, tags: { type: { map: "string" }, optional: true, description: "Tags." } } },
});

/** What a machine reads in its user-data (gzip, base64). */
export function bootDocument(userData: string): BootDocument {
  const mime = gunzipSync(Buffer.from(userData, "base64")).toString();
  const boundary = /boundary="?([^"\s;]+)"?/.exec(mime)?.[1] ?? "";
  const part = mime.split(`--${boundary}`).find((p) => /^\s*content-type: text\/x-honest-boot/i.test(p)) ?? "";
  const body = part.slice(part.search(/\r?\n\r?\n/)).trim();
  const text = /content-transfer-encoding:\s*base64/i.test(part) ? Buffer.from(body, "base64").toString() : body;
  return JSON.parse(text) as BootDocument;
}
