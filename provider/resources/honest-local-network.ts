// honest_local_network: the network of a cluster's machines on a Docker engine.
import { gatewayOf, parseCidr } from "../engine/address.js";
import { claimNetwork, createNetwork, deleteNetwork } from "../engine/network.js";
import type { Resource } from "../framework/resource.js";
import type { Schema } from "../framework/schema.js";
import type { ObjectValue } from "../framework/value.js";
import { text } from "./cluster/decode.js";
import { checkCidr, checkNames, checkNumber } from "./local/checks.js";
import { change, read } from "./local/session.js";

const schema: Schema = {
  version: 0,
  description: "A network for local machines: one bridge of the Docker engine, without a way out unless asked.",
  attributes: {
    cluster: {
      type: "string",
      required: true,
      change: "replace",
      description: "Name of the cluster; a label of every object in the engine.",
    },
    name: {
      type: "string",
      required: true,
      change: "replace",
      description: "Name of the network; the engine's name of it begins with the cluster's.",
    },
    cidr: {
      type: "string",
      required: true,
      change: "replace",
      description: "IPv4 range, /8 to /29. The first address is the bridge's own.",
    },
    internal: {
      type: "bool",
      optional: true,
      default: true,
      change: "replace",
      description:
        "Whether the network has no way out. Default true: what the machines need is in their image, and names outside are not resolved. False: machines and their pods reach what the engine's host reaches, and resolve names as it does, by way of the engine's resolver.",
    },
    mtu: { type: "number", optional: true, change: "replace", description: "Largest packet in bytes. Left out: the engine's default." },
    id: { type: "string", computed: true, description: "The engine's id of the network." },
    gateway: { type: "string", computed: true, description: "Address of the bridge: the first one of the range." },
  },
};

const subject = (value: ObjectValue): string => `Network "${text(value.name)}" of the cluster "${text(value.cluster)}"`;

export const honestLocalNetwork: Resource = {
  name: "honest_local_network",
  schema,

  validate: async ({ config }) => [...checkNames(config), ...checkCidr(config, "cidr"), ...checkNumber(config, "mtu", 576, 65_535)],

  async plan({ prior, proposed }) {
    const cidr = text(proposed?.cidr);
    const range = cidr === null ? null : parseCidr(cidr);
    if (!proposed || prior || !range) return { planned: proposed };
    return { planned: { ...proposed, gateway: gatewayOf(range) } };
  },

  create: ({ planned }, context) =>
    change(context, subject(planned), { verb: "create", fallback: "5m", resource: planned }, null, async (engine) => {
      const network = await createNetwork(engine, {
        cluster: String(planned.cluster),
        name: String(planned.name),
        cidr: String(planned.cidr),
        internal: planned.internal !== false,
        mtu: typeof planned.mtu === "number" ? planned.mtu : null,
      });
      return { state: { ...planned, id: network.id, gateway: network.gateway } };
    }),

  read: ({ state }, context) =>
    read(context, subject(state), state, async (engine) => {
      const network = await claimNetwork(engine, String(state.cluster), String(state.id));
      return network && { ...state, cidr: network.cidr, internal: network.internal, gateway: network.gateway };
    }),

  delete: ({ prior }, context) =>
    change(context, subject(prior), { verb: "delete", fallback: "5m", resource: prior }, prior, async (engine) => {
      await deleteNetwork(engine, String(prior.cluster), String(prior.id));
      return { state: null };
    }),

  importRefused: "A network of an interrupted run is found again by an apply; one that Terraform has never made is somebody else's.",
};
