// Kubernetes versions: which are supported, what they bring, and which way a cluster may go.
import type { Problem } from "./problem.js";
import table from "./versions.json" with { type: "json" };

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

export const supportedVersions: readonly string[] = Object.keys(table.kubernetes).sort(byVersion);
export const defaultVersion: string = table.default;

/** "1.36.3"; null for anything else. */
export function parseVersion(text: string): Version | null {
  const [, major, minor, patch] = /^(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})$/.exec(text) ?? [];
  return patch === undefined ? null : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

export const isSupported = (version: string): boolean => Object.hasOwn(table.kubernetes, version);

/** Below zero when `a` is older. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

function byVersion(a: string, b: string): number {
  const [x, y] = [parseVersion(a), parseVersion(b)];
  return x && y ? compareVersions(x, y) : 0;
}

/** Newest supported patch of a minor: latestOf("1.36") is "1.36.3". */
export const latestOf = (minor: string): string | undefined => supportedVersions.filter((v) => v.startsWith(`${minor}.`)).at(-1);

export function unsupported(text: string, path: Problem["path"]): Problem | null {
  if (isSupported(text)) return null;
  const [minor] = /\d+\.\d+/.exec(text) ?? [];
  const meant = minor === undefined ? undefined : latestOf(minor);
  return {
    code: "version.unsupported",
    path,
    message: parseVersion(text) ? "is not a supported Kubernetes version" : "is not a Kubernetes version",
    got: text,
    allowed: supportedVersions.join(", "),
    ...(meant === undefined ? {} : { fix: `write ${meant}` }),
  };
}

/** Supported versions that a cluster of `from` may go to in one step, oldest first; `from` itself while it is supported. */
export const nextVersions = (from: string): readonly string[] =>
  supportedVersions.filter((version) => {
    const [old, wanted] = [parseVersion(from), parseVersion(version)];
    return old !== null && wanted !== null && compareVersions(wanted, old) >= 0 && !skipsMinor(old, wanted);
  });

const allowedAfter = (from: string): string => nextVersions(from).join(", ") || "none that this version of the kit supports";

const skipsMinor = (old: Version, wanted: Version): boolean => wanted.major !== old.major || wanted.minor > old.minor + 1;

/** Why a cluster may not go from one version to another; null when it may. */
export function upgradeProblem(from: string, to: string, path: Problem["path"] = ["version"]): Problem | null {
  const [old, wanted] = [parseVersion(from), parseVersion(to)];
  if (!old || !wanted) return null;
  if (compareVersions(wanted, old) < 0)
    return {
      code: "version.downgrade",
      path,
      message: `is older than the ${from} that the cluster runs; Kubernetes cannot go back`,
      got: to,
      allowed: allowedAfter(from),
      fix: `write ${from} or a later version`,
    };
  if (skipsMinor(old, wanted)) {
    const next = latestOf(`${old.major}.${old.minor + 1}`);
    return {
      code: "version.skip",
      path,
      message: `skips a minor version: the cluster runs ${from}, and Kubernetes goes up by one minor at a time`,
      got: to,
      allowed: allowedAfter(from),
      ...(next === undefined ? {} : { fix: `go to ${next} first` }),
    };
  }
  return null;
}

/** Whether a node may run `node` under a control plane of `control`: not newer, at most three minors older. */
export function skewProblem(control: string, node: string, path: Problem["path"]): Problem | null {
  const [high, low] = [parseVersion(control), parseVersion(node)];
  if (!high || !low) return null;
  if (compareVersions(low, high) > 0)
    return {
      code: "version.skew",
      path,
      message: `is newer than the control plane's ${control}`,
      got: node,
      allowed: `${control} or older`,
    };
  if (high.major !== low.major || high.minor - low.minor > 3)
    return { code: "version.skew", path, message: `is more than three minors older than the control plane's ${control}`, got: node };
  return null;
}
