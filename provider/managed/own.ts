// The kit's own resources as a vendor: what Terraform and the protocol's server do with them in a stack of constructs is
// done here in the same order, without a process between.
import { error } from "../framework/diagnostic.js";
import { equalOfType } from "../framework/equal.js";
import { proposePlan, replacedBy } from "../framework/plan.js";
import type { Context, Private, Resource, StateResponse } from "../framework/resource.js";
import { schemaType } from "../framework/types.js";
import { hasUnknown, type ObjectValue, unknownAsNull } from "../framework/value.js";
import { shaped } from "./shaped.js";
import type { Answer, ApplyAsk, PlanAsk, Planned, ReadAsk, Vendor } from "./vendor.js";

const privateOf = (held: unknown): Private => (held !== null && typeof held === "object" ? (held as Private) : {});
const fails = ({ diagnostics = [] }: StateResponse): boolean => diagnostics.some((d) => d.severity === "error");

export function ownVendor(resources: readonly Resource[], context: Context): Vendor {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const find = (type: string): Resource => {
    const found = byName.get(type);
    if (!found) throw new TypeError(`the provider has no ${type}`);
    return found;
  };
  const bug = (what: string, cause: unknown) => {
    const message = cause instanceof Error ? cause.message : String(cause);
    context.log("error", `${what}: ${cause instanceof Error ? (cause.stack ?? message) : message}`);
    return error("The provider has a bug", `${what} failed with: ${message}. Please report it; the stack is in the log (TF_LOG=error).`);
  };

  async function call(resource: Resource, { prior, planned, config, private: given }: ApplyAsk): Promise<StateResponse> {
    const held = privateOf(given);
    if (planned === null) return prior === null ? { state: null } : resource.delete({ prior, private: held }, context);
    const request = { prior, planned, config: config ?? planned, private: held };
    if (prior === null) return resource.create(request, context);
    if (!resource.update) throw new Error("the resource cannot be changed in place");
    return resource.update(request, context);
  }

  async function apply(ask: ApplyAsk): Promise<Answer> {
    const { type, prior, planned } = ask;
    const what = `${planned === null ? "Delete" : prior === null ? "Create" : "Update"} of ${type}`;
    const held = privateOf(ask.private);
    try {
      const answer = await call(find(type), ask);
      const { diagnostics = [] } = answer;
      const kept = answer.private ?? held;
      if (answer.state === null) {
        // a failed change of what exists: it still exists
        if (fails(answer)) return { state: prior, private: kept, diagnostics };
        if (planned !== null) throw new Error("no object came back, and no reason");
        return { state: null, private: kept, diagnostics };
      }
      if (!hasUnknown(answer.state)) return { state: answer.state, private: kept, diagnostics };
      const state = unknownAsNull(answer.state) as ObjectValue;
      const left = fails(answer) ? [] : [bug(what, new Error("an attribute is still unknown after apply"))];
      return { state, private: kept, diagnostics: [...diagnostics, ...left] };
    } catch (cause) {
      return { state: prior, private: held, diagnostics: [bug(what, cause)] };
    }
  }

  async function plan({ type, prior, config, private: given }: PlanAsk): Promise<Planned> {
    const resource = find(type);
    const held = privateOf(given);
    const wrong = config === null ? [] : ((await resource.validate?.({ config }, context)) ?? []);
    if (wrong.some((d) => d.severity === "error")) return { planned: prior, replace: false, private: held, diagnostics: wrong };
    const proposed = config === null ? null : proposePlan(resource.schema, config, prior);
    const answer = resource.plan ? await resource.plan({ prior, config, proposed, private: held }, context) : { planned: proposed };
    const { planned, diagnostics = [] } = answer;
    const replaced =
      planned === null || config === null || prior === null
        ? []
        : [...replacedBy(resource.schema, prior, planned, config), ...("replace" in answer ? (answer.replace ?? []) : [])];
    return { planned, replace: replaced.length > 0, private: answer.private ?? held, diagnostics: [...wrong, ...diagnostics] };
  }

  async function read({ type, state, private: given }: ReadAsk): Promise<Answer> {
    const held = privateOf(given);
    try {
      const answer = await find(type).read({ state, private: held }, context);
      return { state: answer.state, private: answer.private ?? held, diagnostics: answer.diagnostics ?? [] };
    } catch (cause) {
      return { state, private: held, diagnostics: [bug(`Read of ${type}`, cause)] };
    }
  }

  return {
    schemaVersion: (type) => find(type).schema.version,
    config: (type, args) => shaped(find(type).schema.attributes, args),
    upgrade(type, attributes, version) {
      const { schema, upgrade } = find(type);
      return shaped(schema.attributes, version < schema.version && upgrade ? upgrade(attributes, version) : attributes);
    },
    equal: (type, a, b) => equalOfType(schemaType(find(type).schema), a, b),
    plan,
    apply,
    read,
  };
}
