// Plans for the tests of converge, as `terraform show -json` gives them.
import type { PlanJson, ResourceChange } from "../../../../../provider/cli/converge/plan-view.js";
import { type Action, type Change, type Machine, type PlanView, readPlan } from "../../../../../provider/cli/converge/plan-view.js";

export const replace = ["delete", "create"];
export const noOp = ["no-op"];

export const resource = (
  type: string,
  name: string,
  actions: readonly string[],
  values: {
    readonly before?: Record<string, unknown> | null;
    readonly after?: Record<string, unknown> | null;
    readonly deposed?: string;
  } = {},
): ResourceChange => ({
  address: `${type}.${name}`,
  mode: "managed",
  type,
  ...(values.deposed ? { deposed: values.deposed } : {}),
  change: { actions, before: values.before ?? null, after: values.after ?? null },
});

/** Boot data and membership of one machine. */
export function machine(
  name: string,
  at: { readonly has: string; readonly gets: string; readonly wanted?: string; readonly pool?: string },
): readonly ResourceChange[] {
  const { has, gets, wanted = "r2", pool = "cp" } = at;
  const spec = { cluster: "demo", pool, name };
  const actions = (from: string, to: string) => (from === to ? noOp : from === "" ? ["create"] : ["update"]);
  const waits = gets !== wanted;
  return [
    resource("honest_boot", name, actions(has, gets), {
      after: { spec, release: gets, roster: { [name]: wanted }, pending_count: waits ? 1 : 0 },
    }),
    resource("honest_node", name, has === gets ? noOp : replace, {
      before: has === "" ? null : { cluster: "demo", name, release: has },
      after: { cluster: "demo", name, release: gets },
    }),
  ];
}

export const planOf = (...changes: readonly (readonly ResourceChange[] | ResourceChange)[]): PlanJson => ({
  resource_changes: changes.flat(),
});
export const viewOf = (...changes: readonly (readonly ResourceChange[] | ResourceChange)[]): PlanView => readPlan(planOf(...changes));

export const view = (over: Partial<PlanView> = {}): PlanView => ({ changes: [], machines: [], pending: 0, outputsChange: false, ...over });
export const change = (address: string, action: Action = "update", expected = false): Change => ({
  address,
  type: address.split(".")[0] ?? "",
  action,
  expected,
});
export const state = (name: string, is: "done" | "now" | "waits", pool = "cp"): Machine => ({
  cluster: "demo",
  pool,
  name,
  done: is === "done",
  now: is === "now",
  waits: is === "waits",
});

/** Three control planes of which `done` run the new release and the next takes it. */
export const roll = (done: number): PlanView => {
  const names = ["a", "b", "c"];
  const next = names[done];
  return view({
    changes:
      next === undefined
        ? []
        : [
            change(`honest_boot.${next}`),
            change(`honest_local_machine.${next}`, "replace", true),
            change(`honest_node.${next}`, "replace", true),
          ],
    machines: names.map((name, n) => state(name, n < done ? "done" : n === done ? "now" : "waits")),
    pending: Math.max(0, names.length - done - 1),
  });
};
