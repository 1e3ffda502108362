// What agents say of what they mended, and of certificates on the machines. Pure.
import { certificatesReport, healthReport } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import type { Time } from "./report.js";
import { timeOf } from "./words.js";

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

export const healthReports = (nodes: readonly KubeObject[]): readonly HealthReport[] =>
  nodes.flatMap((node) => {
    const said = healthReport(node);
    if (said === null) return [];
    const healed = said.healed.map(({ what }) => what);
    return [{ node: node.metadata.name, problems: readable(said.problems), healed: readable(healed) }];
  });

/** A node can write anything: no more, and each no longer, than a person reads. */
const readable = (sentences: readonly string[]): readonly string[] =>
  sentences.slice(0, 20).flatMap((sentence) => sentence.replace(/\s+/g, " ").trim().slice(0, 300) || []);

/** The certificate on a machine that ends first; what an agent reported is also true when it is silent. */
export function nearestExpiry(nodes: readonly KubeObject[]): ExpiryReport | null {
  const all = nodes.flatMap((node) =>
    Object.entries(certificatesReport(node)?.ends ?? {}).map(([name, end]) => ({ node: node.metadata.name, name, end })),
  );
  const [first] = all.sort((a, b) => a.end - b.end || (a.node < b.node ? -1 : 1));
  return first ? { node: first.node, name: first.name, not_after: timeOf(first.end) } : null;
}
