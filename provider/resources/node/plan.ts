// Plan of a membership: what is known beforehand, and the marks for Delete.
import type { PlanRequest, PlanResponse } from "../../framework/resource.js";
import { unknown } from "../../framework/value.js";
import { leaveMarks, replaceMarks } from "./marks.js";
import { plannedNodeName } from "./schema.js";

const replacing = ["name", "role", "vm_id", "release"] as const;

/** `machineGone`: the cloud has said so in this run's refresh. */
export function planNode({ prior, proposed, private: seen }: PlanRequest, machineGone = false): PlanResponse {
  if (proposed === null) return { planned: null, private: leaveMarks(prior, seen) };
  const nodeName = plannedNodeName(proposed);
  const planned = { ...proposed, membership: "member", node_name: nodeName };
  const same = prior !== null && replacing.every((name) => prior[name] === proposed[name]);
  // A new membership has a new mark, made at create: what is random cannot be planned.
  return {
    planned: { ...planned, gen: same ? (prior.gen ?? unknown) : unknown },
    private: replaceMarks(prior, proposed, seen, machineGone),
  };
}
