// Core's two laws, on random schemas and configurations, over the wire: bytes in, bytes out, as core does it. The checks
// themselves are written down independently in test/support/core-laws.ts.
import fc from "fast-check";
import { expect, it } from "vitest";
import { equalOfType } from "../../../../provider/framework/equal.js";
import type { Provider, Resource } from "../../../../provider/framework/resource.js";
import type { Schema } from "../../../../provider/framework/schema.js";
import { schemaType } from "../../../../provider/framework/types.js";
import { hasUnknown, isUnknown, type ObjectValue, type Value } from "../../../../provider/framework/value.js";
import { decodeObject, encodeDynamic } from "../../../../provider/protocol/dynamic.js";
import { providerService } from "../../../../provider/protocol/messages.js";
import { createServed } from "../../../../provider/protocol/served.js";
import { type Decoded, decode, encode } from "../../../../provider/protocol/wire.js";
import { arbitraryChange, arbitraryConfig, arbitrarySchema } from "../../../support/arbitrary-schema.js";
import { changeProblems, planProblems } from "../../../support/core-laws.js";

/** What an apply makes of a plan: something in the place of each unknown that fits its type. */
function settle(type: unknown, value: Value): Value {
  const kinds: Readonly<Record<string, Value>> = { string: "made", number: 42, bool: true };
  if (isUnknown(value)) return typeof type === "string" ? (kinds[type] ?? null) : null;
  if (value === null || typeof value !== "object" || !(type !== null && typeof type === "object")) return value;
  const inner = type as { list?: unknown; set?: unknown; map?: unknown; object?: Readonly<Record<string, unknown>> };
  if (Array.isArray(value)) return value.map((item) => settle(inner.list ?? inner.set, item as Value));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, settle(inner.map ?? inner.object?.[key], item)]));
}

function client(schema: Schema) {
  const type = schemaType(schema);
  const made = async ({ planned }: { planned: ObjectValue }) => ({ state: settle(type, planned) as ObjectValue });
  const resource: Resource = {
    name: "x_y",
    schema,
    create: made,
    update: made,
    read: async ({ state }) => ({ state }),
    delete: async () => ({ state: null }),
  };
  const provider: Provider = {
    version: "0",
    schema: { version: 0, description: "", attributes: {} },
    resources: [resource],
    dataSources: [],
    ephemeralResources: [],
  };
  const served = createServed(provider, () => undefined);
  const call = async (name: string, request: Decoded): Promise<Decoded> => {
    const messages = providerService[name];
    const method = served.method(name);
    if (!messages || !method) throw new Error(name);
    const answer = decode(messages.response, await method(encode(messages.request, { typeName: "x_y", ...request })));
    expect(answer.diagnostics).toEqual([]);
    return answer;
  };
  const value = (v: Value): Decoded => encodeDynamic(type, v);
  return {
    async plan(prior: ObjectValue | null, config: Value) {
      const proposedNewState = value(config);
      const answer = await call("PlanResourceChange", { priorState: value(prior), proposedNewState, config: value(config) });
      return {
        planned: decodeObject(type, answer.plannedState) as ObjectValue,
        replaces: (answer.requiresReplace as unknown[]).length > 0,
      };
    },
    async apply(prior: ObjectValue | null, planned: ObjectValue, config: Value) {
      const request = { priorState: value(prior), plannedState: value(planned), config: value(config) };
      return decodeObject(type, (await call("ApplyResourceChange", request)).newState) as ObjectValue;
    },
  };
}

/** One `terraform apply` as core does it: two plans, a replacement as destroy and create, every law checked. */
async function run(schema: Schema, prior: ObjectValue | null, config: { first: Value; final: Value }): Promise<ObjectValue> {
  const { plan, apply } = client(schema);
  const type = schemaType(schema);
  const lawful = (before: ObjectValue | null, c: Value, planned: ObjectValue): void =>
    expect(planProblems(schema, before, c as ObjectValue, planned)).toEqual([]);

  let before = prior;
  let first = await plan(before, config.first);
  lawful(before, config.first, first.planned);
  if (first.replaces) {
    before = null;
    first = await plan(null, config.first);
    lawful(null, config.first, first.planned);
  }
  if (before && equalOfType(type, first.planned, before)) return before;
  const final = await plan(before, config.final);
  lawful(before, config.final, final.planned);
  expect(changeProblems(schema, first.planned, final.planned)).toEqual([]);
  // an update may turn out to be nothing, never to be a replacement
  expect(final.replaces).toBe(false);
  const state = await apply(before, final.planned, config.final);
  expect(hasUnknown(state)).toBe(false);
  expect(changeProblems(schema, final.planned, state)).toEqual([]);
  return state;
}

it("holds core's laws over the wire, and leaves an empty plan", { timeout: 60_000 }, async () => {
  const cases = arbitrarySchema.chain((schema) =>
    arbitraryConfig(schema.attributes).chain((one) =>
      fc.tuple(fc.constant(schema), fc.constant(one), arbitraryChange(schema.attributes, one.final as ObjectValue)),
    ),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([schema, one, two]) => {
      const type = schemaType(schema);
      let state: ObjectValue | null = null;
      for (const config of [one, two]) {
        state = await run(schema, state, config);
        const again = await client(schema).plan(state, config.final);
        expect(again.replaces).toBe(false);
        expect(equalOfType(type, again.planned, state)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});
