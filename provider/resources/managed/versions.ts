// Kubernetes versions that nodes run, as the cluster says. One that does not answer leaves what was known.
import type { Context } from "../../framework/resource.js";
import type { Value } from "../../framework/value.js";
import type { Ledger } from "../../managed/instance.js";
import { accessFrom } from "../cluster/access.js";
import { isObject } from "../cluster/decode.js";
import { clusterFacts } from "../cluster/session.js";

/** Of the memberships in the ledger; `before`: what was known. */
export async function versionsOf(ledger: Ledger, before: Value, context: Context): Promise<Value> {
  const nodes = ledger.names().flatMap((name) => {
    const held = ledger.current(name);
    return held?.type === "honest_node" ? [held.attributes] : [];
  });
  const [first] = nodes;
  if (first === undefined) return {};
  const facts = isObject(first.access) ? await clusterFacts(context, accessFrom(first)) : undefined;
  if (!facts?.ok) return before ?? {};
  const seen = facts.value.nodes;
  return Object.fromEntries(
    nodes
      .map(({ node_name }) => String(node_name))
      .sort()
      .flatMap((name) => (seen[name]?.version ? [[name, seen[name].version] as const] : [])),
  );
}
