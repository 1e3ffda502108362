// A stand-in for a Kubernetes cluster: HTTPS on loopback with mutual TLS, objects in memory, machines that are started and
// stopped by the test and report like ours. Honest where the provider looks: paths, status codes, conflicts, apply and
// prune, evictions and budgets, an API that is up only while a majority of etcd lives.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttpsServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Access } from "../../provider/kube/access.js";
import type { RotationSet } from "../../provider/pki/rotation.js";
import { openWorld } from "./open-world.js";
import { createCa, createServer, type KeyPair } from "./stand-in/certificates.js";
import { type Machine, type MachineOptions, Machines, type Timing } from "./stand-in/machines.js";
import { discovery, parsePath, type Reply, refusal, Store, type StoredObject } from "./stand-in/store.js";
import { Workloads } from "./stand-in/workloads.js";

// Mutual TLS cannot be tested without a listener.
openWorld("sockets");

const end = "-----END CERTIFICATE-----\n";

export interface StandInOptions {
  /** Names of the control planes that the cluster is born with. None: the API is up at once, without nodes. */
  readonly founders?: readonly string[];
  readonly timing?: Partial<Timing>;
}
export interface StandIn {
  /** Once it serves. */
  access: Access;
  readonly machines: Machines;
  readonly workloads: Workloads;
  readonly store: Store;
  /** "PATCH /api/v1/…" in order. */
  readonly requests: string[];
  start(options: MachineOptions): Machine;
  stop(id: string): void;
  /** False: connections are cut as they come. */
  reachable: boolean;
  /** Object by path ("api/v1/nodes|"): `object("api/v1/configmaps", "honest-paas", "kube-system")`. */
  object(collection: string, name: string, namespace?: string): StoredObject | undefined;
  serve(served: Served): Promise<void>;
  close(): Promise<void>;
}

export interface Served {
  readonly ca: KeyPair;
  readonly clientCa: KeyPair;
  /** @default any free one */
  readonly port?: number;
}

/** With CAs of its own, at once. */
export async function standInCluster(options: StandInOptions = {}): Promise<StandIn> {
  const [ca, clientCa] = await Promise.all([createCa("stand-in"), createCa("stand-in clients")]);
  const standIn = createStandIn(options);
  await standIn.serve({ ca, clientCa });
  return standIn;
}

/** Answers nothing before `serve`. */
export function createStandIn(options: StandInOptions = {}): StandIn {
  const store = new Store();
  const machines = new Machines(store, options.founders ?? [], { bootMs: 20, lingerMs: 300, ...options.timing });
  const workloads = new Workloads(store);
  store.put({ collection: "api/v1/namespaces", apiVersion: "v1", kind: "Namespace", name: "kube-system" }, { metadata: {} });
  const always = options.founders === undefined;
  const up = (): boolean => standIn.reachable && (always || machines.apiUp(Date.now()));
  const sockets = new Set<Duplex>();
  let server: Server | undefined;

  let followed = "";
  let signer: KeyPair | undefined;
  /** What agents do in a rotation: who is trusted and who signs is what its set says. */
  const follow = async (listening: Server, ca: KeyPair): Promise<void> => {
    const target = {
      collection: "api/v1/secrets",
      apiVersion: "v1",
      kind: "Secret",
      namespace: "kube-system",
      name: "honest-paas-rotation",
    };
    const { data } = (store.get(target) ?? {}) as { data?: { set: string } };
    if (!data || data.set === followed) return;
    followed = data.set;
    const { authorities } = JSON.parse(Buffer.from(data.set, "base64").toString()) as RotationSet;
    const { trust, key, chain } = authorities.ca;
    signer = key === null ? (signer ?? ca) : { cert: trust.slice(0, trust.indexOf(end) + end.length), key };
    const leaf = await createServer(signer);
    listening.setSecureContext({ cert: leaf.cert + chain, key: leaf.key, ca: authorities.client_ca.trust });
  };

  const standIn: StandIn = {
    access: { endpoint: "", ca_bundle: "", client_ca_cert: "", client_ca_key: "" },
    machines,
    workloads,
    store,
    requests: [],
    reachable: true,
    start: (machine) => machines.start(machine),
    stop: (id) => machines.stop(id),
    object: (collection, name, namespace) => {
      machines.tick(Date.now());
      return store.get({ collection, apiVersion: "", kind: "", name, ...(namespace === undefined ? {} : { namespace }) });
    },
    async serve({ ca, clientCa, port = 0 }) {
      const certificate = await createServer(ca);
      const listening = createHttpsServer(
        { ...certificate, ca: clientCa.cert, requestCert: true, rejectUnauthorized: true },
        (request, response) => {
          void body(request).then((text) => {
            const now = Date.now();
            if (!up()) return request.socket.destroy();
            machines.tick(now);
            workloads.tick(now);
            standIn.requests.push(`${request.method} ${request.url}`);
            const reply = answer({ store, workloads }, request, text, now);
            void follow(listening, ca).then(() => send(response, reply));
          });
        },
      );
      listening.on("connection", (socket: Duplex) => {
        // What a balancer without a living backend does: takes the connection and drops it.
        if (!up()) return socket.destroy();
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket));
      });
      await new Promise<void>((resolve) => listening.listen(port, "127.0.0.1", resolve));
      server = listening;
      const endpoint = `https://127.0.0.1:${(listening.address() as AddressInfo).port}`;
      standIn.access = { endpoint, ca_bundle: ca.cert, client_ca_cert: clientCa.cert, client_ca_key: clientCa.key };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    },
  };
  return standIn;
}

function answer({ store, workloads }: Pick<StandIn, "store" | "workloads">, request: IncomingMessage, text: string, now: number): Reply {
  const url = new URL(request.url ?? "/", "https://stand-in");
  if (url.pathname === "/readyz") return { status: 200, body: "ok" };
  const listing = discovery(url.pathname);
  if (request.method === "GET" && listing) return { status: 200, body: listing };
  const target = parsePath(url.pathname);
  if (!target) return refusal(404, "NotFound", "the server could not find the requested resource");
  const data: unknown = text === "" ? undefined : JSON.parse(text);
  if (target.subresource === "eviction") return workloads.evict(target, data, now);
  switch (request.method) {
    case "GET": {
      if (target.name === undefined)
        return { status: 200, body: { kind: `${target.kind}List`, items: selected(store.list(target.collection, target.namespace), url) } };
      const found = store.get(target);
      return found ? { status: 200, body: found } : refusal(404, "NotFound", `${target.kind} "${target.name}" not found`);
    }
    case "POST":
      return store.create(target, data);
    case "PUT":
      return store.write(target, "PUT", data);
    case "PATCH":
      return store.write(target, request.headers["content-type"] === "application/apply-patch+yaml" ? "apply" : "merge", data);
    case "DELETE":
      return store.remove(target) ? { status: 200, body: { kind: "Status", status: "Success" } } : refusal(404, "NotFound", "not found");
    default:
      return refusal(405, "MethodNotAllowed", "no such method");
  }
}

async function body(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
  response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
}

function selected(objects: readonly StoredObject[], url: URL): readonly StoredObject[] {
  const nodeName = /^spec\.nodeName=(.*)$/.exec(url.searchParams.get("fieldSelector") ?? "")?.[1];
  const [label, value] = (url.searchParams.get("labelSelector") ?? "").split("=");
  return objects
    .filter((o) => nodeName === undefined || (o.spec as { nodeName?: string } | undefined)?.nodeName === nodeName)
    .filter((o) => !label || o.metadata.labels?.[label] === value);
}
