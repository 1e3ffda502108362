// From the values of honest_boot to the bytes of its machine.
import { etcdNumber, type MachineSpec } from "../../../constructs/blueprint/machine-spec.js";
import { isSupported, supportedVersions } from "../../../constructs/spec/version.js";
import type { LateInputs, RestoreSource } from "../../boot/document.js";
import { encodings } from "../../boot/encode.js";
import { overBudget, renderUserData, type UserData } from "../../boot/user-data.js";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import { hasUnknown, type ObjectValue } from "../../framework/value.js";
import { isObject, text, textMap, texts } from "../cluster/decode.js";
import { sampleLate, sampleMarginBytes } from "./sample.js";
import { bundleProblem } from "./validate.js";

export const specOf = (value: ObjectValue): MachineSpec => value.spec as unknown as MachineSpec;

/** `late`: what the bytes are made from; of a machine that runs always what an earlier apply recorded. */
export function render(value: ObjectValue, late: ObjectValue, born: boolean, restore: RestoreSource | null = null): UserData {
  return renderUserData(
    {
      spec: specOf(value),
      late: { ...(late as unknown as LateInputs), members: textMap(late.members) },
      taints: texts(value.taints),
      labels: textMap(value.labels),
      born,
      restore,
    },
    encodings.find((known) => known === value.encoding) ?? "gzip_base64",
  );
}

/** Where the snapshot is, when the spec has a restore and says so. */
export function sourceOf(value: ObjectValue): RestoreSource | null {
  const source = value.restore_source;
  if (!isObject(source) || etcdNumber(specOf(value)) === 0) return null;
  return { url: String(source.url), passphrase: text(source.passphrase), not_after: String(source.not_after) };
}

export function budgetProblem(value: ObjectValue, data: UserData): readonly Diagnostic[] {
  const words = overBudget(data, Number(value.user_data_limit), specOf(value).name);
  return words ? [error("User-data is too large", words, ["spec"])] : [];
}

/** A machine of another version would boot without knowing what to install. */
export function versionProblem(value: ObjectValue): readonly Diagnostic[] {
  const { version, name } = specOf(value);
  if (isSupported(version)) return [];
  const detail = `spec.version of ${name} is ${JSON.stringify(version)}; this version of the kit makes machines of ${supportedVersions.join(", ")}.`;
  return [error("Unsupported Kubernetes version", detail, ["spec", "version"])];
}

/** Said at plan, not in the middle of an apply, also while keys and addresses are to come: their sizes are known. */
export function inputProblems(value: ObjectValue): readonly Diagnostic[] {
  const inputs = ["spec", "taints", "labels", "encoding", "user_data_limit"].map((name) => value[name] ?? null);
  if (inputs.some(hasUnknown)) return [];
  const wrong = [...versionProblem(value), ...bundleProblem(value)];
  if (wrong.length > 0) return wrong;
  const late = value.late ?? null;
  const restore = hasUnknown(value.restore_source ?? null) ? null : sourceOf(value);
  if (isObject(late) && !hasUnknown(late)) return budgetProblem(value, render(value, late, false, restore));
  const limit = Number(value.user_data_limit) + sampleMarginBytes;
  return budgetProblem(
    { ...value, user_data_limit: limit },
    render(value, sampleLate(specOf(value)) as unknown as ObjectValue, false, restore),
  );
}
