// honest_cluster: a whole cluster as one resource of the plan.

import type { ApplyRequest, Context, Resource, StateResponse } from "../framework/resource.js";
import { hasUnknown, isUnknown, type ObjectValue, unknownAsNull } from "../framework/value.js";
import { badTimeouts, text, timeoutMs } from "./cluster/decode.js";
import { badTimeout } from "./cluster/words.js";
import { clusterInputs } from "./managed/attributes.js";
import { isProtected, planCluster, protectedError } from "./managed/cluster-plan.js";
import { clusterResourceSchema, clusterTimeouts } from "./managed/cluster-schema.js";
import { clusterValues, madeValues } from "./managed/cluster-values.js";
import { evaluateCluster } from "./managed/evaluate.js";
import { plainInputs, understand, wordProblems } from "./managed/input.js";
import { withLogFile } from "./managed/log-file.js";
import { cannotImport } from "./managed/outcome-attributes.js";
import type { Makers } from "./managed/session.js";
import { versionsOf } from "./managed/versions.js";
import { failedCreate, type Kept, readWork, takeAway, turnCrank } from "./managed/work.js";

export const honestCluster = (makers: Makers): Resource => ({
  name: "honest_cluster",
  schema: clusterResourceSchema,
  importRefused: cannotImport,

  async validate({ config }) {
    const times = badTimeouts(config).map(({ verb, got }) => badTimeout(verb, got));
    // a variable is unknown here and known at plan
    const inputs = Object.fromEntries(Object.keys(clusterInputs).map((name) => [name, config[name] ?? null]));
    if (hasUnknown(inputs)) return times;
    return [...times, ...wordProblems(understand(plainInputs(clusterInputs, config)).problems ?? [])];
  },

  plan: (request, context) => planCluster(request, context, makers),
  create: (request, context) => apply(request, context, "create", makers),
  update: (request, context) => apply(request, context, "update", makers),

  async read({ state }, context) {
    const { ledger, inventory, diagnostics } = await readWork(state, keptOf(state), context, makers);
    return { state: { ...state, inventory, versions: await versionsOf(ledger, state.versions ?? null, context) }, diagnostics };
  },

  async delete({ prior }, context) {
    if (isProtected(prior)) return { state: prior, diagnostics: [protectedError(prior)] };
    const inner = withLogFile(context, text(prior.log) ?? "");
    const taken = await takeAway(
      prior,
      keptOf(prior),
      text(prior.log) === null ? context : inner,
      timeoutMs(prior, "delete", clusterTimeouts.delete),
      makers,
    );
    const state = taken.inventory === null ? null : { ...prior, inventory: taken.inventory };
    return { state, diagnostics: taken.diagnostics };
  },
});

const keptOf = (state: ObjectValue): Kept => ({
  key: String(state.name),
  spec: understand(plainInputs(clusterInputs, state)).spec ?? null,
});

async function apply(
  { prior, planned }: ApplyRequest,
  context: Context,
  verb: "create" | "update",
  makers: Makers,
): Promise<StateResponse> {
  // only a limit of this resource is another: nothing was planned, so nothing is done
  if (!isUnknown(planned.inventory)) return { state: planned };
  const input = plainInputs(clusterInputs, planned);
  const understood = understand(input);
  if (!understood.spec) return { state: prior, diagnostics: wordProblems(understood.problems) };
  const evaluated = evaluateCluster(understood.spec);
  const work = await turnCrank(
    { ...evaluated, outside: () => undefined, known: true },
    {
      context: withLogFile(context, String(planned.log)),
      prior,
      planned,
      key: understood.spec.name,
      makers,
      timeoutMs: timeoutMs(planned, verb, clusterTimeouts[verb]),
      versions: (ledger, fresh) => versionsOf(ledger, prior?.versions ?? null, fresh),
    },
  );
  const values = clusterValues(evaluated, input, madeValues(work.ledger));
  if (work.failed && prior) {
    // what was asked for is still to be done: the next plan shows it again
    const { inventory, versions, status } = work.outcome;
    return { state: { ...prior, inventory, versions, status } as ObjectValue, diagnostics: work.diagnostics };
  }
  if (work.failed && work.ledger.names().length === 0) return { state: null, diagnostics: work.diagnostics };
  const state = unknownAsNull({ ...planned, ...values, ...work.outcome }) as ObjectValue;
  const hint = work.failed ? [failedCreate(`honest_cluster ${text(planned.name)}`)] : [];
  return { state, diagnostics: [...work.diagnostics, ...hint] };
}
