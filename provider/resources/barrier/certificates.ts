// Certificates as the barrier sees them: the policy that agents are given, and what a plan says when one is about to end.
import { toSeconds } from "../../../constructs/spec/duration.js";
import { shortestLife, shortestWindow } from "../../../constructs/spec/rules/certificates.js";
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import type { Attribute } from "../../framework/schema.js";
import type { ObjectValue } from "../../framework/value.js";
import type { CertificatePolicy } from "../../kube/core-manifests/parts.js";
import type { NodeFacts } from "../../rollout/facts.js";
import { text } from "../cluster/decode.js";

const defaultLifetime = "8760h";

export const certificateAttributes: Readonly<Record<string, Attribute>> = {
  certificate_lifetime: {
    type: "string",
    optional: true,
    default: defaultLifetime,
    description:
      'How long certificates of nodes and components live, such as "8760h" or "90m", 3m at least. Default 8760h. Agents take a change in place and renew what would live longer.',
  },
  certificate_renew_before: {
    type: "string",
    optional: true,
    description: "How long before its end a certificate is renewed, 1m at least. Default a third of certificate_lifetime.",
  },
};

const seconds = (duration: string): number => toSeconds(duration) ?? Number.NaN;

/** Unknown and null count as left out: nothing is applied before both are known. */
export function certificatePolicy(value: ObjectValue): CertificatePolicy {
  const lifetimeSeconds = seconds(text(value.certificate_lifetime) ?? defaultLifetime);
  const window = text(value.certificate_renew_before);
  return { lifetimeSeconds, renewBeforeSeconds: window === null ? Math.floor(lifetimeSeconds / 3) : seconds(window) };
}

export function certificateProblems(config: ObjectValue): readonly Diagnostic[] {
  const { lifetimeSeconds, renewBeforeSeconds } = certificatePolicy(config);
  const wrong = (name: string, allowed: string): readonly Diagnostic[] => [
    error("Not a time for certificates", `${name} is ${JSON.stringify(config[name])}. Write a duration such as "8760h", ${allowed}.`, [
      name,
    ]),
  ];
  if (!(lifetimeSeconds >= shortestLife)) return wrong("certificate_lifetime", "3m at least");
  if (text(config.certificate_renew_before) === null) return [];
  return renewBeforeSeconds >= shortestWindow && renewBeforeSeconds < lifetimeSeconds
    ? []
    : wrong("certificate_renew_before", `1m at least and less than certificate_lifetime (${lifetimeSeconds} s)`);
}

/**
 * One warning for the whole cluster, or none. While an agent reports, its own judgement counts: it knows what it tries. When
 * it is silent nobody renews, and whatever is inside its window is said.
 */
export function certificateWarnings(
  cluster: string,
  nodes: Readonly<Record<string, NodeFacts>>,
  policy: CertificatePolicy,
  now: number,
): readonly Diagnostic[] {
  const lines = Object.entries(nodes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, node]) => concern(node, policy, now).map((words) => `${name}: ${words}`));
  if (lines.length === 0) return [];
  return [
    warning(
      `Certificates of cluster ${cluster} need attention`,
      `${lines.join(". ")}. Whoever's certificates have ended is believed by nobody. What the agents tried: kubectl get events --field-selector involvedObject.kind=Node`,
    ),
  ];
}

/** What a year's certificate may have left at most before somebody renews it. */
const longestWindow = 2920 * 3600;

function concern({ certificates, agentFresh }: NodeFacts, policy: CertificatePolicy, now: number): readonly string[] {
  if (!certificates) return [];
  const window = Math.min(policy.renewBeforeSeconds, policy.lifetimeSeconds / 3, longestWindow) * 1000;
  const late = Object.entries(certificates.ends)
    .filter(([, end]) => end - now < (agentFresh ? 0 : window))
    .sort(([, a], [, b]) => a - b)
    .map(([what, end]) => `${what} ${end < now ? "ended" : "ends"} ${new Date(end).toISOString().slice(0, 19)}Z`);
  if (agentFresh) return [...late, ...(certificates.problem === null ? [] : [certificates.problem])];
  return late.length === 0 ? [] : [`${late.join(", ")}, and its agent is silent, so nothing renews them`];
}
