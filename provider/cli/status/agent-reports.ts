// What agents say of snapshots, of what they mended, and of certificates on the machines. Pure.
import { certificatesReport, isControlPlane } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import { moment, note, number, record, type Values, words } from "./annotation.js";
import type { Time } from "./report.js";

export const snapshotsAnnotation = "honest-paas.dev/snapshots";
export const healthAnnotation = "honest-paas.dev/health";

export interface SnapshotsReport {
  /** The control plane that takes and keeps them. */
  readonly node: string;
  readonly last: { readonly name: string; readonly at: Time; readonly keys: number | null; readonly size_bytes: number | null } | null;
  readonly uploaded: { readonly name: string; readonly at: Time | null } | null;
  /** The last restore drill. */
  readonly drill: { readonly at: Time; readonly name: string | null; readonly objects: number | null } | null;
  readonly problem: string | null;
}
export interface HealthReport {
  readonly node: string;
  readonly problems: readonly string[];
  /** What its agent has put right. */
  readonly healed: readonly string[];
}
export interface ExpiryReport {
  readonly node: string;
  readonly name: string;
  readonly not_after: Time;
}

const stamp = (ms: number): Time => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
const time = (value: unknown): Time | null => {
  const ms = moment(value);
  return ms === null ? null : stamp(ms);
};

export function snapshotsReports(nodes: readonly KubeObject[]): readonly SnapshotsReport[] {
  return nodes.filter(isControlPlane).flatMap((node) => {
    const said = note(node, snapshotsAnnotation);
    if (!said) return [];
    const { last, uploaded, drill, problem } = said;
    return [{ node: node.metadata.name, last: lastOf(last), uploaded: uploadOf(uploaded), drill: drillOf(drill), problem: words(problem) }];
  });
}

function lastOf(value: unknown): SnapshotsReport["last"] {
  const { name, at, keys, size } = record(value);
  const [called, taken] = [words(name), time(at)];
  return called === null || taken === null ? null : { name: called, at: taken, keys: number(keys), size_bytes: number(size) };
}
function uploadOf(value: unknown): SnapshotsReport["uploaded"] {
  const { name, at } = record(value);
  const called = words(name);
  return called === null ? null : { name: called, at: time(at) };
}
function drillOf(value: unknown): SnapshotsReport["drill"] {
  const { at, name, objects } = record(value);
  const done = time(at);
  return done === null ? null : { at: done, name: words(name), objects: number(objects) };
}

export const healthReports = (nodes: readonly KubeObject[]): readonly HealthReport[] =>
  nodes.flatMap((node) => {
    const said = note(node, healthAnnotation);
    return said ? [{ node: node.metadata.name, problems: sentences(said, "problems"), healed: sentences(said, "healed") }] : [];
  });

/** Each entry a text, or an object that carries one. */
function sentences(said: Values, name: string): readonly string[] {
  const list = Array.isArray(said[name]) ? said[name] : [];
  return list.slice(0, 20).flatMap((entry: unknown) => words(entry) ?? words(record(entry).text) ?? words(record(entry).message) ?? []);
}

/** The certificate on a machine that ends first; what an agent reported is also true when it is silent. */
export function nearestExpiry(nodes: readonly KubeObject[]): ExpiryReport | null {
  const all = nodes.flatMap((node) =>
    Object.entries(certificatesReport(node)?.ends ?? {}).map(([name, end]) => ({ node: node.metadata.name, name, end })),
  );
  const [first] = all.sort((a, b) => a.end - b.end || (a.node < b.node ? -1 : 1));
  return first ? { node: first.node, name: first.name, not_after: stamp(first.end) } : null;
}
