// What stands inside of managed resources: their objects as if they were the stack's own, so that every command of the tool
// works for both faces of the kit.
import type { StateResource } from "./state.js";

interface Instance {
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly tainted?: true;
}
interface Stock {
  readonly objects?: Readonly<Record<string, { readonly current: Instance | null; readonly deposed: readonly Instance[] }>>;
}

const managed: readonly string[] = ["honest_cluster", "honest_node_group"];

/** The resources, and behind each managed one those that it has made. */
export const withInside = (resources: readonly StateResource[]): readonly StateResource[] =>
  resources.flatMap((resource) => [resource, ...(managed.includes(resource.type) ? inside(resource) : [])]);

function inside({ mode, instances }: StateResource): readonly StateResource[] {
  return instances.flatMap(({ attributes }) => {
    const held = attributes?.inventory;
    if (typeof held !== "string") return [];
    const { objects = {} } = JSON.parse(held) as Stock;
    return Object.entries(objects).flatMap(([name, { current, deposed }]) => {
      const now = current ? [{ type: current.type, instance: instanceOf(current) }] : [];
      const before = deposed.map((one, n) => ({ type: one.type, instance: { ...instanceOf(one), deposed: String(n) } }));
      return [...now, ...before].map(({ type, instance }) => ({ mode, type, name, instances: [instance] }));
    });
  });
}

const instanceOf = ({ attributes, tainted }: Instance) => ({ attributes, ...(tainted ? { status: "tainted" } : {}) });
