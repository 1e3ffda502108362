// Versions that the barrier has seen in its cluster: kept in private state, so that a plan without a refresh knows them too.
import { skewProblem } from "../../../constructs/spec/version.js";
import type { Diagnostic } from "../../framework/diagnostic.js";
import type { Private } from "../../framework/resource.js";
import type { ObjectValue } from "../../framework/value.js";
import type { NodeFacts } from "../../rollout/facts.js";
import { controlPlaneVersionProblem, leftBehind, oldestOf } from "../../rollout/versions.js";
import { isObject, text, textMap } from "../cluster/decode.js";
import { versionRefused } from "../cluster/words.js";

export interface SeenVersions {
  /** Of each control plane that has said one. */
  readonly running: Readonly<Record<string, string>>;
  /** The oldest kubelet of each node group. */
  readonly kubelets: Readonly<Record<string, string>>;
}

export const seenVersions = (data: Private): SeenVersions => ({
  running: textMap(data.running as ObjectValue | undefined),
  kubelets: textMap(data.kubelets as ObjectValue | undefined),
});

export function versionsIn(nodes: Readonly<Record<string, NodeFacts>>, members: readonly string[]): SeenVersions {
  const all = Object.entries(nodes).flatMap(([name, node]) => (node.version === null ? [] : [{ name, pool: node.pool, is: node.version }]));
  const running = all.filter(({ name }) => members.includes(name)).map(({ name, is }) => [name, is] as const);
  const pools = [...new Set(all.filter(({ name, pool }) => !members.includes(name) && pool !== "").map(({ pool }) => pool))].sort();
  const kubelets = pools.map((pool) => [pool, oldestOf(all.filter((one) => one.pool === pool).map(({ is }) => is))] as const);
  return {
    running: Object.fromEntries(running),
    kubelets: Object.fromEntries(kubelets.filter((e): e is [string, string] => e[1] !== null)),
  };
}

/** What may not be: said at plan, before anything is changed. */
export function refusedVersions(prior: ObjectValue | null, proposed: ObjectValue, seen: SeenVersions): readonly Diagnostic[] {
  const [cluster, version] = [text(proposed.cluster) ?? "", text(proposed.version)];
  if (version === null) return [];
  const workers = Object.entries(isObject(proposed.workers) ? proposed.workers : {}).flatMap(([name, worker]) => {
    const of = isObject(worker) ? text(worker.version) : null;
    const path = ["workers", name, "version"];
    const problem = of === null ? null : skewProblem(version, of, path);
    return problem ? [versionRefused(cluster, problem, path)] : [];
  });
  // A birth that never came up has no version yet; of a snapshot the machines judge it.
  if (prior?.complete !== true || Number(proposed.restore_number ?? 0) > Number(prior.restore_number ?? 0)) return workers;
  const problem = controlPlaneVersionProblem(version, seen.running) ?? leftBehind(version, seen.kubelets);
  return problem ? [versionRefused(cluster, problem, ["version"]), ...workers] : workers;
}
