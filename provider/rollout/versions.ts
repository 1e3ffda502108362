// May the cluster go to this Kubernetes version? Judged by what its machines run, never by what a state says: a release
// that waits for its turn is in the state and on no machine. Pure.
import type { Problem } from "../../constructs/spec/problem.js";
import {
  compareVersions,
  nextVersions,
  parseVersion,
  skewProblem,
  unsupported,
  upgradeProblem,
  type Version,
} from "../../constructs/spec/version.js";
import { have, list } from "./words.js";

/** Version by name of the control plane, or by node group; null = it has not said. */
export type Running = Readonly<Record<string, string | null>>;

interface Seen {
  readonly name: string;
  readonly text: string;
  readonly version: Version;
}

const seenOf = (running: Running): readonly Seen[] =>
  Object.entries(running)
    .flatMap(([name, text]) => {
      const version = parseVersion(text ?? "");
      return text === null || version === null ? [] : [{ name, text, version }];
    })
    .sort((a, b) => compareVersions(a.version, b.version) || (a.name < b.name ? -1 : 1));

const versionPath = ["version"] as const;

/**
 * Why control planes that run `running` may not go to `wanted`; null when they may. Nobody has said anything: the cluster
 * has no version yet, and any that is supported will do.
 *
 * Up: one minor from the oldest API server, since two of them never differ by more. Down: never, but for the step that
 * has just begun: while one control plane has moved and another still serves the old version, it may come back to that.
 */
export function controlPlaneVersionProblem(wanted: string, running: Running): Problem | null {
  const seen = seenOf(running);
  const [oldest] = seen;
  const newest = seen.at(-1);
  if (oldest === undefined || newest === undefined) return unsupported(wanted, versionPath);
  // Nothing changes: a cluster may outlive the kit's support of its version.
  if (seen.every(({ text }) => text === wanted)) return null;
  const target = parseVersion(wanted);
  const unknown = unsupported(wanted, versionPath);
  if (unknown !== null || target === null) return unknown && fromHere(unknown, newest.text);

  const moved = seen.filter(({ version }) => compareVersions(version, target) > 0);
  const comesBack = moved.length === 1 && seen.some(({ text }) => text === wanted);
  if (moved.length > 0 && !comesBack) {
    const problem = upgradeProblem(newest.text, wanted, versionPath);
    const who = have(
      moved.map(({ name }) => name),
      "runs",
      "run",
    );
    return problem && { ...problem, message: `is older than the ${newest.text} that ${who}; Kubernetes cannot go back` };
  }
  return upgradeProblem(oldest.text, wanted, versionPath);
}

/** What is allowed depends on where the cluster stands; a hint that leads elsewhere goes. */
function fromHere({ fix, ...problem }: Problem, from: string): Problem {
  const next = nextVersions(from);
  const leads = fix !== undefined && next.some((version) => fix.endsWith(version));
  return { ...problem, allowed: next.join(", "), ...(leads ? { fix } : {}) };
}

/** The oldest of some versions; null when none of them is one. */
export const oldestOf = (versions: readonly string[]): string | null =>
  seenOf(Object.fromEntries(versions.map((version) => [version, version])))[0]?.text ?? null;

/** Why control planes of `control` would leave the kubelets of a node group too far behind; null when they do not. */
export function leftBehind(control: string, kubelets: Running): Problem | null {
  const late = seenOf(kubelets).filter(({ text, version }) => {
    const target = parseVersion(control);
    // a kubelet that is newer is judged where control planes go back
    return target !== null && compareVersions(version, target) < 0 && skewProblem(control, text, versionPath) !== null;
  });
  if (late.length === 0) return null;
  const names = list(late.map(({ name }) => name));
  return {
    code: "version.skew",
    path: versionPath,
    message: `is more than three minors newer than the kubelets of node group ${names} (${late[0]?.text})`,
    got: control,
    fix: `bring node group ${names} to a later version first`,
  };
}
