// OpenStack's objects by the names that the mapping gives them. Nova has no data source that finds a machine by its name: a
// control plane is at its port; a worker, whose port Nova makes, is not found.
import type { ObjectValue, Value } from "../framework/value.js";
import { type DataLookup, dataLookup } from "../shim/data-lookup.js";
import type { Lookup } from "../shim/instance-types.js";
import type { FoundBy, VendorFacts } from "./cloud.js";

/** How the provider's data sources say that there is nothing of the kind. */
const none = /returned no results|no results|not found|No .* found|could not find|Unable to find/i;

const text = (value: Value | undefined): string | null => (typeof value === "string" && value !== "" ? value : null);

/** By arguments of the same names; nothing to go by where one of them is not known. */
const by =
  (...names: readonly string[]) =>
  (wanted: ObjectValue): ObjectValue | null => {
    const known = names.map((name) => [name, text(wanted[name])] as const);
    return known.every(([, value]) => value !== null) ? Object.fromEntries(known) : null;
  };

const found = (dataSource: string, config: DataLookup["config"], id = "id"): Lookup => dataLookup({ dataSource, config, id, none });

const named: Readonly<Record<string, Lookup>> = {
  openstack_networking_network_v2: found("openstack_networking_network_v2", by("name")),
  openstack_networking_router_v2: found("openstack_networking_router_v2", by("name")),
  openstack_networking_secgroup_v2: found("openstack_networking_secgroup_v2", by("name")),
  openstack_networking_floatingip_v2: found("openstack_networking_floatingip_v2", by("description")),
  openstack_networking_port_v2: found("openstack_networking_port_ids_v2", by("name", "network_id"), "ids"),
  openstack_blockstorage_volume_v3: found("openstack_blockstorage_volume_v3", by("name")),
  openstack_compute_servergroup_v2: found("openstack_compute_servergroup_v2", by("name")),
  openstack_lb_loadbalancer_v2: found("openstack_lb_loadbalancer_v2", by("name")),
};

/** A router of a cluster has one interface. */
const ofRouter = (wanted: ObjectValue): ObjectValue | null => {
  const router = text(wanted.router_id);
  return router === null ? null : { device_id: router, device_owner: "network:router_interface" };
};

/** The provider makes this id of both ends; whether it is there is seen when it is read. */
const ofBothEnds: Lookup = {
  async find(_, wanted) {
    const ends = [text(wanted.instance_id), text(wanted.volume_id)];
    return ends.includes(null) ? { kind: "none" } : { kind: "ids", ids: [ends.join("/")] };
  },
};

const parts: Readonly<Record<string, Lookup>> = {
  openstack_networking_subnet_v2: found("openstack_networking_subnet_ids_v2", by("name", "network_id"), "ids"),
  openstack_networking_router_interface_v2: found("openstack_networking_port_ids_v2", ofRouter, "ids"),
  openstack_compute_volume_attach_v2: ofBothEnds,
  openstack_lb_listener_v2: found("openstack_lb_listener_v2", by("name", "loadbalancer_id")),
  openstack_lb_pool_v2: found("openstack_lb_pool_v2", by("name")),
  openstack_lb_monitor_v2: found("openstack_lb_pool_v2", by("pool_id"), "healthmonitor_id"),
};

const portOf = ({ network }: ObjectValue): string | null =>
  Array.isArray(network) ? text((network[0] as ObjectValue | undefined)?.port) : null;

const atPort: Lookup = {
  ...found("openstack_networking_port_v2", (wanted) => ({ port_id: portOf(wanted) }), "device_id"),
  // adopted while it is built, the next plan would say that it has to be started
  ready: ({ power_state }) => (power_state === "active" ? "ready" : power_state === "error" ? "failed" : "wait"),
};

function lookups(type: string, wanted: ObjectValue): FoundBy | null {
  if (type === "openstack_compute_instance_v2") return portOf(wanted) === null ? null : { lookup: atPort, part: true };
  const part = parts[type];
  if (part) return { lookup: part, part: true };
  const lookup = named[type];
  return lookup ? { lookup, part: false } : null;
}

export const openstack: VendorFacts = {
  // the name is the data source's own and says nothing
  preflight: { dataSource: "openstack_identity_auth_scope_v3", config: { name: "honest-paas" }, account: "project_id" },
  lookups,
};
