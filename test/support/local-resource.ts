// Calls a local resource as the protocol would, without Terraform: a context with a given engine, plans from the framework.
import { fillDefaults, proposePlan, replacedBy } from "../../provider/framework/plan.js";
import type { Context, Resource } from "../../provider/framework/resource.js";
import type { ObjectValue } from "../../provider/framework/value.js";

export function contextOf(host: string): Context {
  const made = new Map<string, unknown>();
  return {
    signal: new AbortController().signal,
    log: () => undefined,
    config: { docker_host: host },
    once: <T>(key: string, make: () => T): T => {
      if (!made.has(key)) made.set(key, make());
      return made.get(key) as T;
    },
  };
}

const silent = "unix:///nowhere/docker.sock";

/** Titles of what validate says; [] is good. */
export const problems = async (resource: Resource, config: ObjectValue): Promise<readonly string[]> =>
  ((await resource.validate?.({ config: complete(resource, config) }, contextOf(silent))) ?? []).map((d) => d.summary);

/** The configuration with nulls for what it leaves out, as core sends it. */
export const complete = (resource: Resource, config: ObjectValue): ObjectValue =>
  Object.fromEntries(Object.keys(resource.schema.attributes).map((name) => [name, config[name] ?? null]));

export async function planOf(
  resource: Resource,
  config: ObjectValue,
  prior: ObjectValue | null,
): Promise<{ readonly planned: ObjectValue; readonly replace: readonly string[] }> {
  const whole = complete(resource, config);
  const proposed = proposePlan(resource.schema, whole, prior);
  const response = await resource.plan?.({ prior, config: whole, proposed, private: {} }, contextOf(silent));
  const planned = response?.planned ?? proposed;
  return { planned, replace: replacedBy(resource.schema, prior, planned) };
}

export const stateOf = (resource: Resource, config: ObjectValue, computed: ObjectValue): ObjectValue => ({
  ...fillDefaults(resource.schema.attributes, complete(resource, config)),
  ...computed,
});
