// What a whole pool does in this plan, in one sentence. Terraform folds warnings of the same summary and shows one of
// them, so every machine has to say the same: each decides for all of its pool, from facts and roster alone.
import { decidePace, nodesOf, type PaceInput } from "./pace.js";
import { have } from "./words.js";

/** null when nobody waits: a plan that does what was asked needs no warning. */
export function groupSentence(input: PaceInput): string | null {
  const decisions = Object.entries(input.roster).map(([name, wanted]) => ({
    name,
    ...decidePace({
      ...input,
      lost: input.lost === true && name === input.name,
      name,
      wanted,
      current: name === input.name ? input.current : reported(input, name, wanted),
    }),
  }));
  const takes = decisions.filter((d) => d.action === "take").map((d) => d.name);
  const waits = decisions.filter((d) => d.action === "wait").sort((a, b) => (a.name < b.name ? -1 : 1));
  if (waits.length === 0) return null;
  const reason = waits.map((d) => d.reason).find((text) => text !== "");
  if (takes.length === 0) return `nobody takes a new release now: ${reason ?? "others go first"}`;
  const names = waits.map((d) => d.name);
  const why = reason === undefined ? ` for ${names.length === 1 ? "its" : "their"} turn` : `: ${reason}`;
  return `${have(takes, "takes its", "take their")} new release now; ${have(names, "waits", "wait")}${why}`;
}

/** Of itself a machine knows what its state says, of the others what the cluster reports. */
function reported({ facts, role }: PaceInput, name: string, wanted: string): string {
  const releases = facts ? nodesOf(facts, role, name).map((node) => node.release) : [];
  return releases.includes(wanted) ? wanted : (releases.find((release) => release !== null) ?? "");
}
