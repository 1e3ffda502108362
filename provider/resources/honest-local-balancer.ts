// honest_local_balancer: haproxy in front of the API servers, with a port published on the engine's host.
import { randomBytes } from "node:crypto";
import { type Balancer, type BalancerSpec, claimBalancer, createBalancer, deleteBalancer, updateBalancer } from "../engine/balancer.js";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import type { Resource } from "../framework/resource.js";
import type { Schema } from "../framework/schema.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../framework/value.js";
import { text, textMap, timeoutsAttribute } from "./cluster/decode.js";
import { checkAddress, checkNames, checkNumber, checkText, checkTimeouts, isAddress } from "./local/checks.js";
import { ensureImage } from "./local/image.js";
import { change, read } from "./local/session.js";

const timeouts = { create: "60m", update: "10m", delete: "10m" } as const;

const schema: Schema = {
  version: 0,
  description:
    "The balancer of a local cluster: haproxy with a fixed address in the machines' network, which sends connections to the API servers that answer /readyz, and with a port published on the engine's host.",
  attributes: {
    cluster: {
      type: "string",
      required: true,
      change: "replace",
      description: "Name of the cluster; a label of every object in the engine.",
    },
    name: { type: "string", required: true, change: "replace", description: "Name of the balancer." },
    network_id: { type: "string", required: true, change: "replace", description: "Id of an honest_local_network." },
    address: { type: "string", required: true, change: "replace", description: "Fixed IPv4 address in that network." },
    image: {
      type: "string",
      required: true,
      description: "Image in the engine that has haproxy. Another one takes effect by a new container on the same address and port.",
    },
    port: { type: "number", required: true, description: "Port that it listens on in the network; 6443 for an API server." },
    backends: {
      type: { map: "string" },
      required: true,
      description: 'Servers: name → "address:port". A change is a reload and breaks no connection of those that stay.',
    },
    published_port: {
      type: "number",
      optional: true,
      computed: true,
      description: "Port on the engine's host. Left out: a free one, chosen once and then kept.",
    },
    published_address: {
      type: "string",
      optional: true,
      default: "127.0.0.1",
      description: 'Address of the engine\'s host that the port is published on. Default "127.0.0.1".',
    },
    timeouts: timeoutsAttribute(timeouts),
    id: { type: "string", computed: true, description: 'Id: "lb-" and twelve hexadecimal digits.' },
    endpoint: { type: "string", computed: true, description: 'URL at the published port: "https://127.0.0.1:PORT".' },
    running: { type: "bool", computed: true, description: "Whether it runs. False is drift: an apply starts it." },
  },
};

const subject = (value: ObjectValue): string => `Balancer "${text(value.name)}" of the cluster "${text(value.cluster)}"`;

const endpointOf = (address: Value | undefined, port: Value | undefined): Value => {
  if (typeof port !== "number" || isUnknown(address)) return unknown;
  return `https://${address === "0.0.0.0" || typeof address !== "string" ? "127.0.0.1" : address}:${port}`;
};

const toSpec = (value: ObjectValue): BalancerSpec => ({
  cluster: String(value.cluster),
  name: String(value.name),
  networkId: String(value.network_id),
  address: String(value.address),
  image: String(value.image),
  port: Number(value.port),
  backends: textMap(value.backends),
  publishedPort: typeof value.published_port === "number" ? value.published_port : null,
  publishedAddress: text(value.published_address) ?? "127.0.0.1",
});

const withBalancer = (value: ObjectValue, balancer: Balancer): ObjectValue => ({
  ...value,
  image: balancer.image,
  port: balancer.port,
  backends: balancer.backends,
  published_port: balancer.publishedPort,
  published_address: balancer.publishedAddress,
  id: balancer.id,
  endpoint: endpointOf(balancer.publishedAddress, balancer.publishedPort),
  running: balancer.running,
});

function checkBackends(config: ObjectValue): readonly Diagnostic[] {
  return Object.entries(textMap(config.backends)).flatMap(([name, target]) => {
    const [, host = "", port] = /^([^:]+):(\d{1,5})$/.exec(target) ?? [];
    const good = isAddress(host) && Number(port) >= 1 && Number(port) <= 65_535 && /^[A-Za-z0-9._-]+$/.test(name);
    if (good) return [];
    const detail = `backends has ${JSON.stringify(name)} = ${JSON.stringify(target)}. Allowed: a name of letters, digits, dots and dashes, and "address:port" with an IPv4 address.`;
    return [error("Bad value of backends", detail, ["backends", { key: name }])];
  });
}

export const honestLocalBalancer: Resource = {
  name: "honest_local_balancer",
  schema,

  validate: async ({ config }) => [
    ...checkNames(config),
    ...checkAddress(config, "address"),
    ...checkAddress(config, "published_address"),
    ...checkText(config, "image", "a name of an image in the engine, for example honest-paas/machine:1.36.3", (value) => value !== ""),
    ...checkNumber(config, "port", 1, 65_535),
    ...checkNumber(config, "published_port", 1, 65_535),
    ...checkBackends(config),
    ...checkTimeouts(config),
  ],

  /** The published port is chosen once: a later plan knows it, and with it the endpoint. */
  async plan({ prior, config, proposed }) {
    if (!proposed || !config) return { planned: proposed };
    const port = (config.published_port ?? null) === null ? (prior?.published_port ?? unknown) : (proposed.published_port ?? unknown);
    return {
      planned: {
        ...proposed,
        published_port: port,
        id: prior?.id ?? unknown,
        endpoint: endpointOf(proposed.published_address, port),
        running: true,
      },
    };
  },

  create: ({ planned }, context) =>
    change(context, subject(planned), { verb: "create", fallback: timeouts.create, resource: planned }, null, async (engine) => {
      const spec = toSpec(planned);
      await ensureImage(engine, spec.image, context);
      return { state: withBalancer(planned, await createBalancer(engine, spec, `lb-${randomBytes(6).toString("hex")}`)) };
    }),

  read: ({ state }, context) =>
    read(context, subject(state), state, async (engine) => {
      const balancer = await claimBalancer(engine, String(state.cluster), String(state.id));
      return balancer && withBalancer(state, balancer);
    }),

  update: ({ planned, prior }, context) =>
    change(context, subject(planned), { verb: "update", fallback: timeouts.update, resource: planned }, prior, async (engine) => {
      const spec = toSpec(planned);
      await ensureImage(engine, spec.image, context);
      return { state: withBalancer(planned, await updateBalancer(engine, spec, String(planned.id))) };
    }),

  delete: ({ prior }, context) =>
    change(context, subject(prior), { verb: "delete", fallback: timeouts.delete, resource: prior }, prior, async (engine) => {
      await deleteBalancer(engine, String(prior.cluster), String(prior.name), String(prior.id));
      return { state: null };
    }),

  importRefused: "A balancer of an interrupted run is replaced by an apply; one that Terraform has never made is somebody else's.",
};
