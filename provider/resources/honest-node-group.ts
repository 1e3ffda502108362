// honest_node_group: a group of workers as one resource of the plan.
import type { ApplyRequest, Context, Resource, StateResponse } from "../framework/resource.js";
import { hasUnknown, isUnknown, type ObjectValue, unknownAsNull } from "../framework/value.js";
import { badTimeouts, text, timeoutMs } from "./cluster/decode.js";
import { badTimeout } from "./cluster/words.js";
import { nodeGroupInputs } from "./managed/attributes.js";
import { withLogFile } from "./managed/log-file.js";
import { groupProblems, planNodeGroup, understandGroup } from "./managed/node-group-plan.js";
import { nodeGroupResourceSchema, nodeGroupTimeouts } from "./managed/node-group-schema.js";
import { cannotImport } from "./managed/outcome-attributes.js";
import type { Makers } from "./managed/session.js";
import { versionsOf } from "./managed/versions.js";
import { failedCreate, type Kept, readWork, takeAway, turnCrank } from "./managed/work.js";

export const honestNodeGroup = (makers: Makers): Resource => ({
  name: "honest_node_group",
  schema: nodeGroupResourceSchema,
  importRefused: cannotImport,

  async validate({ config }) {
    const times = badTimeouts(config).map(({ verb, got }) => badTimeout(verb, got));
    // a variable is unknown here and known at plan
    const inputs = Object.fromEntries(["name", ...Object.keys(nodeGroupInputs)].map((name) => [name, config[name] ?? null]));
    return hasUnknown(inputs) ? times : [...times, ...groupProblems(config)];
  },

  plan: (request, context) => planNodeGroup(request, context, makers),
  create: (request, context) => apply(request, context, "create", makers),
  update: (request, context) => apply(request, context, "update", makers),

  async read({ state }, context) {
    const { ledger, inventory, diagnostics } = await readWork(state, keptOf(state), context, makers);
    return { state: { ...state, inventory, versions: await versionsOf(ledger, state.versions ?? null, context) }, diagnostics };
  },

  async delete({ prior }, context) {
    const told = withLogFile(context, String(prior.log));
    const taken = await takeAway(prior, keptOf(prior), told, timeoutMs(prior, "delete", nodeGroupTimeouts.delete), makers);
    const state = taken.inventory === null ? null : { ...prior, inventory: taken.inventory };
    return { state, diagnostics: taken.diagnostics };
  },
});

async function apply(
  { prior, planned }: ApplyRequest,
  context: Context,
  verb: "create" | "update",
  makers: Makers,
): Promise<StateResponse> {
  // only a limit of this resource is another: nothing was planned, so nothing is done
  if (!isUnknown(planned.inventory)) return { state: planned };
  const { wanted, problems } = understandGroup(planned);
  if (!wanted) return { state: prior, diagnostics: problems };
  const work = await turnCrank(wanted, {
    context: withLogFile(context, String(planned.log)),
    prior,
    planned,
    key: keyOf(planned),
    makers,
    timeoutMs: timeoutMs(planned, verb, nodeGroupTimeouts[verb]),
    versions: (ledger, fresh) => versionsOf(ledger, prior?.versions ?? null, fresh),
  });
  if (work.failed && prior) {
    // what was asked for is still to be done: the next plan shows it again
    const { inventory, versions, status } = work.outcome;
    return { state: { ...prior, inventory, versions, status } as ObjectValue, diagnostics: work.diagnostics };
  }
  if (work.failed && work.ledger.names().length === 0) return { state: null, diagnostics: work.diagnostics };
  const state = unknownAsNull({ ...planned, ...work.outcome }) as ObjectValue;
  const hint = work.failed ? [failedCreate(`honest_node_group ${text(planned.name)}`)] : [];
  return { state, diagnostics: [...work.diagnostics, ...hint] };
}

const keptOf = (state: ObjectValue): Kept => ({ key: keyOf(state), spec: understandGroup(state).wanted?.spec ?? null });
const keyOf = ({ cluster_name, name }: ObjectValue): string => `${String(cluster_name)}-${String(name)}`;
