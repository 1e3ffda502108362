// One machine's user-data and shape, and its pace. Apply does no I/O and cannot fail: it runs after its old machine was
// destroyed. What the cluster says is read by Read alone, once per process, and kept in private state.
import { error, warning } from "../framework/diagnostic.js";
import type { ApplyRequest, Context, Resource, StateResponse } from "../framework/resource.js";
import type { ObjectValue } from "../framework/value.js";
import { wordFailure } from "../kube/outcome.js";
import type { Facts } from "../rollout/facts.js";
import { days, type Window, windowState } from "../rollout/window.js";
import { budgetProblem, planBoot, render, specOf } from "./boot/plan.js";
import { bootSchema } from "./boot/schema.js";
import { accessFrom } from "./cluster/access.js";
import { isObject, text, texts } from "./cluster/decode.js";
import { clusterFacts } from "./cluster/session.js";

const neverRead: Facts = {
  reachable: false,
  born: false,
  complete: false,
  tornDown: false,
  windowOpen: true,
  lease: null,
  etcd: {},
  nodes: {},
};

function windowOf(value: ObjectValue): Window | null {
  const given = value.window;
  if (!isObject(given)) return null;
  return {
    days: texts(given.days),
    hour: Number(given.hour),
    durationHours: Number(given.duration_hours),
    timezone: text(given.timezone) ?? "UTC",
  };
}

async function readFactsInto(state: ObjectValue, held: Facts | null, context: Context): Promise<StateResponse> {
  const seen = await clusterFacts(context, accessFrom(state));
  const { open, opens } = windowState(windowOf(state), Date.now());
  const window = { windowOpen: open, ...(opens ? { windowOpens: opens } : {}) };
  if (seen.ok) return { state, private: { facts: { ...seen.value, ...window } } };
  const why = wordFailure(seen.failure);
  const facts: Facts = { ...(held ?? neverRead), ...window, reachable: false, unreachable: why };
  return {
    state,
    private: { facts },
    diagnostics: [
      warning(
        `Cluster ${specOf(state).cluster} cannot be reached`,
        `${why}. Its state is kept as it is and no machine takes a new release. The computer that runs Terraform has to reach ${accessFrom(state).endpoint}.`,
      ),
    ],
  };
}

export const honestBoot: Resource = {
  name: "honest_boot",
  schema: bootSchema,
  importRefused: "the bytes that a machine was made with cannot be read back, and other bytes would replace it. Create it anew with the old spec.",

  async validate({ config }) {
    const found = [];
    const window = config.window;
    if (isObject(window)) {
      for (const day of texts(window.days)) {
        if (!(days as readonly string[]).includes(day)) {
          found.push(error("Unknown day", `window.days has ${JSON.stringify(day)}; allowed are ${days.join(", ")}.`, ["window", "days"]));
        }
      }
    }
    for (const [name, allowed] of [
      ["roll", ["one_per_apply", "in_one_apply"]],
      ["encoding", ["gzip_base64", "plain"]],
    ] as const) {
      const given = config[name];
      if (typeof given === "string" && !(allowed as readonly string[]).includes(given)) {
        found.push(error(`Unknown ${name}`, `${name} is ${JSON.stringify(given)}; allowed are ${allowed.join(" and ")}.`, [name]));
      }
    }
    return found;
  },

  plan: async (request) => planBoot(request),

  async create({ planned }: ApplyRequest) {
    const late = planned.late as ObjectValue;
    const data = render(planned, late);
    const problem = budgetProblem(planned, data);
    if (problem.length > 0) return { state: null, diagnostics: problem };
    return { state: { ...planned, user_data: data.text, user_data_bytes: data.bytes, late_seen: { ...late } } };
  },

  async read({ state, private: held }, context) {
    // no access, or one that is not whole yet: nothing to read
    if (!isObject(state.access) || Object.values(state.access).some((part) => typeof part !== "string")) return { state };
    return readFactsInto(state, (held.facts as Facts | undefined) ?? null, context);
  },

  async update({ planned }) {
    return { state: { ...planned, late_seen: { ...(planned.late as ObjectValue) } } };
  },

  async delete() {
    return { state: null };
  },
};
