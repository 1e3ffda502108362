// Which resource comes after which. Pure.
import { type Arg, isRef, isText, type Ref, refsIn, type VendorResource } from "../../constructs/iaas/resource.js";

/** Names of the resources that this one needs, inside the set or not. */
export const dependenciesOf = ({ args, dependsOn = [] }: VendorResource): readonly string[] => [
  ...new Set([...refsIn(args), ...dependsOn]),
];

/** Each after all that it needs; of several that may come, by name. */
export function inOrder(resources: readonly VendorResource[]): readonly VendorResource[] {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const sorted: VendorResource[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (resource: VendorResource): void => {
    const seen = state.get(resource.name);
    if (seen === "done") return;
    if (seen === "open") throw new TypeError(`${resource.name} needs itself`);
    state.set(resource.name, "open");
    for (const name of [...dependenciesOf(resource)].sort()) {
      const needed = byName.get(name);
      if (needed) visit(needed);
    }
    state.set(resource.name, "done");
    sorted.push(resource);
  };
  for (const name of [...byName.keys()].sort()) {
    const resource = byName.get(name);
    if (resource) visit(resource);
  }
  return sorted;
}

/**
 * Who is made before its predecessor goes: who asks for it, and all that such a one needs or, as `neededBefore` says, needed
 * until now. Otherwise two would wait for each other.
 */
export function createdFirst(
  resources: readonly VendorResource[],
  neededBefore: (name: string) => readonly string[] = () => [],
): ReadonlySet<string> {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const first = new Set<string>();
  const add = (name: string): void => {
    if (first.has(name)) return;
    first.add(name);
    const resource = byName.get(name);
    for (const needed of [...(resource ? dependenciesOf(resource) : []), ...neededBefore(name)]) add(needed);
  };
  for (const { name, lifecycle } of resources) if (lifecycle?.createBeforeDestroy) add(name);
  return first;
}

/** References to what is not in the set: resource → its attributes, both sorted. */
export function outsideOf(resources: readonly VendorResource[]): Readonly<Record<string, readonly string[]>> {
  const names = new Set(resources.map(({ name }) => name));
  const found = new Map<string, Set<string>>();
  for (const { resource, attribute } of resources.flatMap(({ args }) => Object.values(args).flatMap(allRefs))) {
    if (names.has(resource)) continue;
    found.set(resource, (found.get(resource) ?? new Set()).add(attribute));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, attributes]) => [name, [...attributes].sort()]));
}

function allRefs(value: Arg): readonly Ref[] {
  if (isRef(value)) return [value];
  if (isText(value)) return value.parts.filter(isRef);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(allRefs);
}
