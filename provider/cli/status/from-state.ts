// What the state of a stack knows of one cluster: found in the state of the kit's own resources, so that it works for
// constructs and HCL. Pure.
import { type Window, windowState } from "../../rollout/window.js";
import type { State } from "../terraform/state.js";

export interface WantedMachine {
  /** Control plane: the node's name; worker: the first part of it. */
  readonly name: string;
  readonly pool: string;
  readonly role: "control-plane" | "worker";
  /** Release that its boot data has. */
  readonly release: string;
  /** Release that the configuration wants of it. */
  readonly wanted: string;
  readonly pending: boolean;
}
export interface Membership {
  readonly nodeName: string;
  readonly role: "control-plane" | "worker";
  readonly pool: string;
  readonly release: string;
  readonly machineId: string;
  readonly tainted: boolean;
}
export interface ClusterState {
  readonly version: string | null;
  readonly uid: string | null;
  readonly machines: readonly WantedMachine[];
  readonly memberships: readonly Membership[];
  readonly window: Window | null;
  /** Authorities by what they are, PEM. */
  readonly authorities: Readonly<Record<string, string>>;
}

type Values = Readonly<Record<string, unknown>>;
const values = (value: unknown): Values => (value !== null && typeof value === "object" ? (value as Values) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const roleOf = (value: unknown): "control-plane" | "worker" => (value === "control-plane" ? "control-plane" : "worker");

const authorityNames: Readonly<Record<string, string>> = {
  ca_cert: "cluster CA",
  client_ca_cert: "client CA",
  etcd_ca_cert: "etcd CA",
  front_proxy_ca_cert: "front-proxy CA",
};

export function clusterState(state: State, cluster: string): ClusterState {
  const of = (type: string) =>
    state.resources
      .filter((r) => r.mode === "managed" && r.type === type)
      .flatMap((r) => r.instances)
      .filter((instance) => instance.deposed === undefined)
      .map(({ attributes = {}, status }) => ({ value: attributes, tainted: status === "tainted" }));
  const boots = of("honest_boot").filter(({ value }) => values(value.spec).cluster === cluster);
  const [barrier] = of("honest_barrier").filter(({ value }) => value.cluster === cluster);
  const [pki] = of("honest_pki").filter(({ value }) => value.cluster === cluster);
  return {
    version: text(barrier?.value.version) || null,
    uid: text(barrier?.value.cluster_uid) || null,
    machines: boots.map(({ value }) => machineOf(value)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    memberships: of("honest_node")
      .filter(({ value }) => value.cluster === cluster)
      .map(({ value, tainted }) => membershipOf(value, tainted))
      .sort((a, b) => (a.nodeName < b.nodeName ? -1 : 1)),
    window: boots.map(({ value }) => windowOf(value.window)).find((window) => window !== null) ?? null,
    authorities: Object.fromEntries(
      Object.entries(authorityNames).flatMap(([attribute, name]) => {
        const pem = text(pki?.value[attribute]);
        return pem === "" ? [] : [[name, pem]];
      }),
    ),
  };
}

function machineOf(boot: Values): WantedMachine {
  const spec = values(boot.spec);
  const name = text(spec.name);
  const release = text(boot.release);
  const wanted = text(values(boot.roster)[name]) || release;
  return { name, pool: text(spec.pool), role: roleOf(spec.role), release, wanted, pending: Number(boot.pending_count ?? 0) > 0 };
}

const membershipOf = (node: Values, tainted: boolean): Membership => ({
  nodeName: text(node.node_name) || text(node.name),
  role: roleOf(node.role),
  pool: text(node.pool),
  release: text(node.release),
  machineId: text(node.vm_id),
  tainted,
});

function windowOf(value: unknown): Window | null {
  const { days, hour, duration_hours, timezone } = values(value);
  if (typeof hour !== "number" || typeof duration_hours !== "number") return null;
  const named = Array.isArray(days) ? days.filter((day): day is string => typeof day === "string") : [];
  return { days: named, hour, durationHours: duration_hours, timezone: text(timezone) || "UTC" };
}

export interface WindowReport {
  readonly days: readonly string[];
  readonly hour: number;
  readonly duration_hours: number;
  readonly timezone: string;
  readonly open: boolean;
  /** When a closed one opens next, "2026-12-01T02:00Z". */
  readonly opens: string | null;
}

export function windowReport(window: Window | null, now: number): WindowReport | null {
  if (window === null) return null;
  const { open, opens } = windowState(window, now);
  const { days, hour, durationHours, timezone } = window;
  return { days, hour, duration_hours: durationHours, timezone, open, opens: opens ?? null };
}
