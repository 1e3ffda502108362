// Which versions a living cluster may go to: up by one minor at a time, never down. Judged by what its control planes run,
// not by what was asked for before: a release that never came up may be taken back.
import { compareVersions, parseVersion, upgradeProblem, type Version } from "../../../constructs/spec/version.js";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import type { ObjectValue } from "../../framework/value.js";
import type { Facts } from "../../rollout/facts.js";
import { specOf } from "./render.js";

const wordVersion = ({ major, minor, patch }: Version): string => `${major}.${minor}.${patch}`;

/** [] before the hand-over, and for workers, whose version is bound to the control planes' by the spec's own rules. */
export function upgradeProblems(proposed: ObjectValue, facts: Facts | null): readonly Diagnostic[] {
  const { role, version, name } = specOf(proposed);
  if (role !== "control-plane" || !facts?.complete) return [];
  const running = Object.values(facts.nodes)
    .filter((node) => node.pool === "cp")
    .flatMap((node) => parseVersion(node.version ?? "") ?? [])
    .sort(compareVersions)
    .map(wordVersion);
  const [oldest] = running;
  const newest = running.at(-1);
  if (!oldest || !newest) return [];
  const problem = upgradeProblem(newest, version) ?? upgradeProblem(oldest, version);
  if (!problem) return [];
  const fix = problem.fix ? ` To go on, ${problem.fix}.` : "";
  return [
    error("Not a way for this cluster to go", `spec.version of ${name} is ${JSON.stringify(version)}: it ${problem.message}.${fix}`, [
      "spec",
      "version",
    ]),
  ];
}
