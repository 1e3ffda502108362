// Machines that their cloud no longer knows, as the refresh of this run found them: the one proof of an end that needs no
// answer of the cluster. Core reads a machine before it plans the membership that depends on it.
import type { Context } from "../../framework/resource.js";

const gone = (context: Context): Set<string> => context.once("cluster/gone-machines", () => new Set<string>());

/** Said by whoever asked the cloud and was told that there is no such machine; never after an error. */
export const machineIsGone = (context: Context, id: string): unknown => gone(context).add(id);

export const isMachineGone = (context: Context, id: string): boolean => gone(context).has(id);
