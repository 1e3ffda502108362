// Who makes the objects of a managed resource, and what one round of its crank believes.
import type { Context, Resource } from "../../framework/resource.js";
import { ownVendor } from "../../managed/own.js";
import type { VendorOf } from "../../managed/vendor.js";

/** Types that say how the cluster is: they are read again before every plan of a crank. */
export const moving = (type: string): boolean => ["honest_pki", "honest_boot", "honest_node", "honest_barrier"].includes(type);

/** Who makes objects, with what the process gives to every call. */
export type Makers = (context: Context) => VendorOf;

/** `own`: resources of this provider, which need no other process. */
export const makersOf =
  (own: readonly Resource[]): Makers =>
  (context) => {
    const kit = ownVendor(own, context);
    return (type) => {
      if (own.some(({ name }) => name === type)) return kit;
      throw new TypeError(`nobody here makes a ${type}`);
    };
  };

/** In a stack each command of Terraform is a process with one look at the cluster; here each round has one. */
export function roundContext(context: Context): Context {
  const seen = new Map<string, unknown>();
  return {
    ...context,
    once<T>(key: string, make: () => T): T {
      if (!key.startsWith("cluster/facts/")) return context.once(key, make);
      if (!seen.has(key)) seen.set(key, make());
      return seen.get(key) as T;
    },
  };
}
