// A machine's document and the rotation of the authorities: which ones it carries, and what that holds up.
import { releaseOf } from "../../../constructs/blueprint/machine-spec.js";
import { generationIn } from "../../boot/document.js";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import type { ObjectValue } from "../../framework/value.js";
import type { PaceDecision } from "../../rollout/pace.js";
import { isObject } from "../cluster/decode.js";
import { specOf } from "./render.js";

const asked = (proposed: ObjectValue): number => specOf(proposed).authorities ?? 0;
const recorded = (prior: ObjectValue): number => generationIn(isObject(prior.late_seen) ? prior.late_seen.pki : undefined);

/**
 * Rules under which there is nothing to lose: then a correction does not wait for the rotation. A restore (0) least of all:
 * with the cluster lost, no node is left to say that it uses the new ones.
 */
const nothingToLose = [0, 5, 8];

/**
 * A document carries the authorities that an earlier apply recorded. Until those are the ones that the release asks for, its
 * turn has not come: it would be made with the old ones and be stale at once.
 */
export function takesNow(decision: PaceDecision, prior: ObjectValue, proposed: ObjectValue): PaceDecision {
  if (decision.action !== "take" || recorded(prior) >= asked(proposed)) return decision;
  const correction = releaseOf({ ...specOf(proposed), authorities: recorded(prior) }) !== prior.release;
  if (correction && nothingToLose.includes(decision.rule)) return decision;
  return { action: "wait", rule: decision.rule, reason: "" };
}

/** null when documents are not what is waited for. The same words for every machine of the cluster. */
export const documentsSentence = (prior: ObjectValue, proposed: ObjectValue): string | null =>
  recorded(prior) >= asked(proposed)
    ? null
    : `nobody takes a new release now: boot documents carry the authorities of rotation ${asked(proposed)} when every node uses them and an apply has recorded it`;

/** With the old authorities forgotten, this machine's document would not bring it back. */
export function olderThanRetired(prior: ObjectValue, proposed: ObjectValue): Diagnostic | null {
  const [retired, carries] = [Number(proposed.retired ?? 0), Number(prior.authorities ?? 0)];
  if (carries >= retired) return null;
  const { cluster, name } = specOf(proposed);
  return error(
    "Rotation of authorities does not go on",
    `Cluster ${cluster}: the boot document of ${name} was made before rotation ${retired} was promoted; started again it would be a stranger. Set certificates.rotation back to { number = ${retired}, state = "promote" }, apply until nothing is pending (honest-paas converge), then retire. Nothing is changed.`,
    ["retired"],
  );
}
