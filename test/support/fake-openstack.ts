// As much of an OpenStack API as the vendor's provider needs for networks: tokens, and a network service that takes its time.
// What is posted is made after the delay whether or not the sender still lives, as real clouds do.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface FakeNetwork {
  readonly id: string;
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface FakeOpenStack {
  readonly url: string;
  readonly networks: Map<string, FakeNetwork>;
  /** Milliseconds that a create takes. */
  delayMs: number;
  /** Refuse every token. */
  locked: boolean;
  /** What creates are answered with instead, such as 403 for a quota. null: nothing. */
  refuseWith: number | null;
  requests: number;
  close(): Promise<void>;
}

async function body(request: IncomingMessage): Promise<Record<string, Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}

function send(response: ServerResponse, status: number, data?: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(data === undefined ? undefined : JSON.stringify(data));
}

const tokenOf = (url: string): unknown => ({
  token: {
    methods: ["password"],
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    issued_at: new Date().toISOString(),
    project: { id: "p1", name: "demo", domain: { id: "default", name: "Default" } },
    user: { id: "u1", name: "demo", domain: { id: "default", name: "Default" } },
    roles: [{ id: "r1", name: "member" }],
    catalog: ["identity", "network"].map((type) => ({
      type,
      name: type,
      id: type,
      endpoints: [{ id: type, interface: "public", region: "r", region_id: "r", url: type === "identity" ? `${url}/v3` : `${url}/` }],
    })),
  },
});

export async function fakeOpenStack(): Promise<FakeOpenStack> {
  const networks = new Map<string, FakeNetwork>();
  let made = 0;
  const state: FakeOpenStack = {
    url: "",
    networks,
    delayMs: 0,
    locked: false,
    refuseWith: null,
    requests: 0,
    close: async () => undefined,
  };
  const create = async (given: Record<string, unknown>, response: ServerResponse): Promise<void> => {
    if (state.refuseWith !== null)
      return send(response, state.refuseWith, { NeutronError: { type: "OverQuota", message: "Quota exceeded", detail: "" } });
    await sleep(state.delayMs);
    made += 1;
    const id = `00000000-0000-4000-8000-${String(made).padStart(12, "0")}`;
    const defaults = {
      admin_state_up: true,
      shared: false,
      status: "ACTIVE",
      subnets: [],
      tags: [],
      tenant_id: "p1",
      project_id: "p1",
      description: "",
    };
    const network = {
      ...defaults,
      "router:external": false,
      port_security_enabled: true,
      mtu: 1500,
      availability_zone_hints: [],
      ...given,
      id,
      name: String(given.name),
    };
    networks.set(id, network);
    send(response, 201, { network });
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    state.requests += 1;
    const url = new URL(request.url ?? "/", state.url);
    const given = await body(request);
    if (url.pathname.startsWith("/v3/auth/tokens")) {
      if (state.locked) return send(response, 401, { error: { code: 401, title: "Unauthorized", message: "wrong password" } });
      return send(response, request.method === "POST" ? 201 : 200, tokenOf(state.url), { "x-subject-token": "t" });
    }
    if (/^\/(v3)?\/?$/.test(url.pathname)) {
      return send(response, 200, { version: { id: "v3.14", status: "stable", links: [{ rel: "self", href: `${state.url}/v3/` }] } });
    }
    const [, id, part] = /^\/v2\.0\/networks(?:\/([^/]+))?(?:\/([^/]+))?/.exec(url.pathname) ?? [];
    if (!url.pathname.startsWith("/v2.0/networks")) return send(response, 404, {});
    if (id === undefined && request.method === "POST") return create(given.network ?? {}, response);
    if (id === undefined) {
      const name = url.searchParams.get("name");
      return send(response, 200, { networks: [...networks.values()].filter((network) => name === null || network.name === name) });
    }
    const network = networks.get(id);
    if (!network) return send(response, 404, { NeutronError: { type: "NetworkNotFound", message: "not found", detail: "" } });
    if (request.method === "DELETE") {
      networks.delete(id);
      return send(response, 204);
    }
    if (request.method === "PUT") networks.set(id, { ...network, ...(part === "tags" ? given : given.network) });
    return send(response, 200, part === "tags" ? given : { network: networks.get(id) });
  };
  const server = createServer((request, response) => {
    // a vendor that was killed does not listen any more
    response.on("error", () => undefined);
    answer(request, response).catch((cause: unknown) => send(response, 500, { error: String(cause) }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  });
  return state;
}
