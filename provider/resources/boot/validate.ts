// What can be said about honest_boot's configuration alone.
import { isZone } from "../../../constructs/spec/rules/addresses.js";
import { parsePki } from "../../boot/document.js";
import { encodings } from "../../boot/encode.js";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import type { ObjectValue, Value } from "../../framework/value.js";
import { days } from "../../rollout/window.js";
import { isObject, texts } from "../cluster/decode.js";

type Check = readonly [path: readonly string[], value: Value | undefined, problem: (value: Value) => string | undefined];

const oneOf =
  (...allowed: readonly string[]) =>
  (value: Value): string | undefined =>
    typeof value === "string" && !allowed.includes(value) ? `is ${JSON.stringify(value)}; allowed are ${allowed.join(", ")}` : undefined;

const whole =
  (least: number, most: number) =>
  (value: Value): string | undefined =>
    typeof value === "number" && !(Number.isInteger(value) && value >= least && value <= most)
      ? `is ${value}; it is a whole number from ${least} to ${most}`
      : undefined;

const timezone = (value: Value): string | undefined =>
  typeof value === "string" && !isZone(value)
    ? `is ${JSON.stringify(value)}; it is a name of the IANA time zone list, such as "Europe/Berlin"`
    : undefined;

const someDay = (value: Value): string | undefined =>
  Array.isArray(value) && value.length === 0 ? "is empty: such a window never opens; leave days out for every day" : undefined;

export function validateBoot(config: ObjectValue): readonly Diagnostic[] {
  const spec = isObject(config.spec) ? config.spec : {};
  const window = isObject(config.window) ? config.window : {};
  const checks: readonly Check[] = [
    [["roll"], config.roll, oneOf("one_per_apply", "in_one_apply")],
    [["encoding"], config.encoding, oneOf(...encodings)],
    [["max_unavailable"], config.max_unavailable, whole(0, 1000)],
    [["max_surge"], config.max_surge, whole(0, 1000)],
    [["user_data_limit"], config.user_data_limit, whole(1, 16_777_216)],
    [["spec", "role"], spec.role, oneOf("control-plane", "worker")],
    [["spec", "endpoint_port"], spec.endpoint_port, whole(1, 65_535)],
    ...restoreChecks(config),
    [["window", "hour"], window.hour, whole(0, 23)],
    [["window", "duration_hours"], window.duration_hours, whole(1, 24)],
    [["window", "timezone"], window.timezone, timezone],
    [["window", "days"], window.days, someDay],
    ...texts(window.days).map((day): Check => [["window", "days"], day, oneOf(...days)]),
  ];
  return [
    ...checks.flatMap(([path, value, problem]) => {
      const got = value === undefined ? undefined : problem(value);
      return got === undefined ? [] : [error(`Not a value of ${path.at(-1)}`, `${path.join(".")} ${got}.`, path)];
    }),
    ...needsDisk(config),
    ...bundleProblem(config),
  ];
}

function restoreChecks(config: ObjectValue): readonly Check[] {
  const spec = isObject(config.spec) ? config.spec : {};
  const restore = isObject(spec.restore) ? spec.restore : {};
  const source = isObject(config.restore_source) ? config.restore_source : {};
  const shaped = (pattern: RegExp, what: string) => (value: Value) =>
    typeof value === "string" && !pattern.test(value) ? `is not ${what}` : undefined;
  return [
    [["spec", "restore", "number"], restore.number, whole(1, 1_000_000)],
    [["spec", "restore", "sha256"], restore.sha256, shaped(/^[0-9a-f]{64}$/, "64 hex digits in lower case")],
    [["restore_source", "url"], source.url, shaped(/^https?:\/\/[^\s/]+\/\S+$/, "an http or https URL of a file")],
    [["restore_source", "not_after"], source.not_after, shaped(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'a time like "2026-12-01T18:00:00Z"')],
  ];
}

/** A control plane without its own disk would start etcd on whatever is there. */
function needsDisk(config: ObjectValue): readonly Diagnostic[] {
  const controlPlane = isObject(config.spec) && config.spec.role === "control-plane";
  if (!controlPlane || !isObject(config.late)) return [];
  return ["address", "etcd_disk"]
    .filter((name) => (isObject(config.late) ? (config.late[name] ?? null) : null) === null)
    .map((name) =>
      error("A control plane lacks an input", `late.${name} is left out; a control plane is a name, a fixed address and an etcd disk.`, [
        "late",
        name,
      ]),
    );
}

/** Also checked at create: at validation the bundle is mostly not known yet. */
export function bundleProblem(config: ObjectValue): readonly Diagnostic[] {
  const pki = isObject(config.late) ? config.late.pki : undefined;
  if (typeof pki !== "string" || parsePki(pki)) return [];
  return [
    error("Not a bundle of honest_pki", "late.pki is some other text; it takes honest_pki's attribute bundle as it is.", ["late", "pki"]),
  ];
}
