// What agents say of what they mended, and of certificates on the machines. Pure.
import { certificatesReport } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import { note, record, type Values, words } from "./annotation.js";
import type { Time } from "./report.js";

export const healthAnnotation = "honest-paas.dev/health";

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

export const healthReports = (nodes: readonly KubeObject[]): readonly HealthReport[] =>
  nodes.flatMap((node) => {
    const said = note(node, healthAnnotation);
    return said ? [{ node: node.metadata.name, problems: sentences(said, "problems"), healed: sentences(said, "healed") }] : [];
  });

/** Each entry a text, or an object that carries one. */
function sentences(said: Values, name: string): readonly string[] {
  const list = Array.isArray(said[name]) ? said[name] : [];
  return list.slice(0, 20).flatMap((entry: unknown) => words(entry) ?? words(record(entry).what) ?? []);
}

/** The certificate on a machine that ends first; what an agent reported is also true when it is silent. */
export function nearestExpiry(nodes: readonly KubeObject[]): ExpiryReport | null {
  const all = nodes.flatMap((node) =>
    Object.entries(certificatesReport(node)?.ends ?? {}).map(([name, end]) => ({ node: node.metadata.name, name, end })),
  );
  const [first] = all.sort((a, b) => a.end - b.end || (a.node < b.node ? -1 : 1));
  return first ? { node: first.node, name: first.name, not_after: stamp(first.end) } : null;
}
