// Nova's hypervisors here are nova's own fakes: a server is ACTIVE and nothing boots. What would run on it stands in: each
// server's user-data is read where nova keeps it, and a machine of the stand-in cluster lives as long as the server does,
// under the server's id. So pace and gate meet a cluster whose machines are nova's, and the test controls its health.
import { bootDocument } from "../stand-in/cloud.js";
import { createStandIn, type StandIn } from "../stand-in-cluster.js";
import type { OpenStack } from "./api.js";

export interface Agents {
  readonly cluster: StandIn;
  /** Machines of these names (workers: first part) never come up. */
  readonly broken: Set<string>;
  /** Most servers of control planes that were missing at once, after all had been there. */
  mostDown(): number;
  close(): Promise<void>;
}

interface Server {
  readonly id: string;
  readonly status: string;
  readonly "OS-EXT-SRV-ATTR:user_data": string | null;
}

/** `port` is where the API of the stand-in cluster listens, on loopback; the project's servers are looked at all the time. */
export function followServers(admin: OpenStack, projectId: string, port: number): Agents {
  const cluster = createStandIn({ founders: [] });
  const broken = new Set<string>();
  const known = new Set<string>();
  let serving: Promise<void> | undefined;
  let closed = false;
  let problem: unknown;

  const start = async (server: Server): Promise<void> => {
    const userData = server["OS-EXT-SRV-ATTR:user_data"];
    if (userData === null) throw new Error(`the server ${server.id} has no user-data`);
    const document = bootDocument(userData);
    const { name, role, release } = document.node;
    if (role === "control-plane") {
      cluster.machines.found(Object.keys(document.members));
      const { ca_cert = "", ca_key = "", client_ca_cert = "", client_ca_key = "" } = document.pki;
      serving ??= cluster.serve({ ca: { cert: ca_cert, key: ca_key }, clientCa: { cert: client_ca_cert, key: client_ca_key }, port });
      await serving;
    }
    const what = { id: server.id, name, role, release, version: document.version, number: document.etcd?.number ?? 0 };
    cluster.start({ ...what, broken: broken.has(name), authority: document.pki.ca_cert ?? "" });
  };
  const look = async (): Promise<void> => {
    const path = `/servers/detail?all_tenants=1&project_id=${projectId}`;
    const { servers } = await admin.get<{ servers: readonly Server[] }>("compute", path);
    const active = servers.filter(({ status }) => status === "ACTIVE");
    for (const id of known) {
      if (active.some((one) => one.id === id)) continue;
      known.delete(id);
      cluster.stop(id);
    }
    for (const server of active) {
      if (known.has(server.id)) continue;
      known.add(server.id);
      await start(server);
    }
  };
  const following = (async () => {
    while (!closed) {
      try {
        await look();
        problem = undefined;
      } catch (cause) {
        // the API is away while a test restarts it; what lasts is told when the test ends
        problem = cause;
      }
      await new Promise((wake) => setTimeout(wake, 250));
    }
  })();
  return {
    cluster,
    broken,
    mostDown() {
      const down = new Set<string>();
      let most = 0;
      for (const event of cluster.machines.events) {
        const [what, name = ""] = event.split(" ");
        if (!name.includes("-cp-")) continue;
        if (what === "stop") down.add(name);
        if (what === "register") down.delete(name);
        most = Math.max(most, down.size);
      }
      return most;
    },
    async close() {
      closed = true;
      await following;
      await cluster.close();
      if (problem !== undefined) throw problem;
    },
  };
}
