// What Plan leaves for Delete. Only a positive mark means "leaves for good": core plans a tainted object with an empty
// private, so anything else counts as a replacement.
import type { Private } from "../../framework/resource.js";
import { hasUnknown, type ObjectValue } from "../../framework/value.js";
import { text, texts } from "../cluster/decode.js";

export interface NodeMarks {
  readonly how: "leave" | "replace";
  /** Machine id of the plan, when it was known. */
  readonly plannedVmId: string | null;
  /** Kubernetes version of the successor, when the plan knew it. */
  readonly version?: string;
  /** The cluster has been seen complete. */
  readonly complete: boolean;
  /** The plan knew nothing of the past: a tainted membership. "Not complete" is then no knowledge. */
  readonly markless: boolean;
  /** At the plan's refresh the cloud no longer knew the machine. */
  readonly machineGone: boolean;
  /** The cluster goes back to a snapshot, and this member's machine was not made for that. */
  readonly restoring?: boolean;
  /** Control planes by the configuration of that plan; null when it left no marks. */
  readonly members: readonly string[] | null;
}

export const leaveMarks = (prior: ObjectValue | null, seen: Private): Private => ({
  how: "leave",
  gen: text(prior?.gen) ?? null,
  complete: seen.complete === true,
});

export const replaceMarks = (prior: ObjectValue | null, planned: ObjectValue, seen: Private, machineGone: boolean): Private => {
  const [vmId, version] = [text(planned.vm_id), text(planned.version)];
  // Of a replacement core asks twice, the second time without a prior and with what the first answer left; Delete receives
  // the second answer. A tainted membership has neither.
  const first: Private = prior === null ? seen : {};
  const gen = text(prior?.gen) ?? (typeof first.gen === "string" ? first.gen : null);
  const restoring = prior === null ? first.restoring === true : Number(planned.etcd_number ?? 0) > Number(prior.etcd_number ?? 0);
  const members = hasUnknown(planned.members ?? null) ? null : texts(planned.members);
  return {
    how: "replace",
    gen,
    complete: seen.complete === true,
    ...(vmId === null ? {} : { vm_id: vmId }),
    ...(version === null ? {} : { version }),
    ...(machineGone || first.machine_gone === true ? { machine_gone: true } : {}),
    ...(restoring ? { restoring } : {}),
    ...(members === null ? {} : { members }),
  };
};

export const marksFrom = (data: Private): NodeMarks => ({
  how: data.how === "leave" ? "leave" : "replace",
  plannedVmId: typeof data.vm_id === "string" ? data.vm_id : null,
  ...(typeof data.version === "string" ? { version: data.version } : {}),
  complete: data.complete === true,
  markless: typeof data.gen !== "string",
  machineGone: data.machine_gone === true,
  ...(data.restoring === true ? { restoring: true } : {}),
  members: Array.isArray(data.members) ? data.members.filter((name): name is string => typeof name === "string") : null,
});
