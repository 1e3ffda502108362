// The likely causes of what is seen, best first. Pure.
import { ofBudgets } from "./budgets.js";
import { type Cause, causes, type Evidence, type Finding } from "./evidence.js";
import { ofMachines, readConsoles } from "./machines.js";
import { ofNodes } from "./nodes.js";
import { ofPods } from "./pods.js";
import { ofReach } from "./reach.js";

const sureness = ["certain", "likely", "possible"] as const;

/** [] = nothing is found. Causes that bring others about stand before them where both are equally sure. */
export function diagnose(evidence: Evidence): readonly Finding[] {
  const found = [ofReach, ofMachines, ofNodes, ofPods, ofBudgets].flatMap((judge) => judge(evidence));
  const all = found.length === 0 && evidence.refused !== null ? [unknown(evidence)] : merged(found);
  return [...all].sort(
    (a, b) => sureness.indexOf(a.sureness) - sureness.indexOf(b.sureness) || causes.indexOf(a.cause) - causes.indexOf(b.cause),
  );
}

/** One finding a cause: the surest words, what all of them saw. */
function merged(found: readonly Finding[]): readonly Finding[] {
  const of = (cause: Cause): readonly Finding[] =>
    found.filter((f) => f.cause === cause).sort((a, b) => sureness.indexOf(a.sureness) - sureness.indexOf(b.sureness));
  return causes.flatMap((cause) => {
    const [first, ...rest] = of(cause);
    if (!first) return [];
    const evidence = [...new Set([...first.evidence, ...rest.flatMap((f) => [f.text, ...f.evidence])])];
    return [{ ...first, evidence: evidence.slice(0, 12), fix: [...new Set([first, ...rest].flatMap((f) => f.fix))] }];
  });
}

const unknown = ({ endpoint, refused, machines, controlPlanes }: Evidence): Finding => ({
  cause: "unknown",
  sureness: "possible",
  text: `The cluster at ${endpoint} cannot be read, and nothing that was looked at says why.`,
  evidence: refused === null ? [] : [refused.message],
  fix: [
    machines === null ? readConsoles(controlPlanes) : "Run honest-paas doctor again in a minute: machines say after 30 s what they see.",
  ],
});
