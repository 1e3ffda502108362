// A machine as the engine has it now.
import { hasFile, putFiles } from "./archive.js";
import type { Core } from "./core.js";
import { hasStatus } from "./error.js";
import { idLabel, nameLabel } from "./labels.js";
import { claimFile } from "./machine-files.js";
import { type Inspected, inspectMachine, recordedDisks } from "./machine-find.js";

export interface Machine {
  readonly id: string;
  readonly name: string;
  /** The container's name. */
  readonly container: string;
  readonly address: string;
  readonly running: boolean;
  readonly diskIds: readonly string[];
}

export async function toMachine(core: Core, found: Inspected): Promise<Machine> {
  const endpoint = Object.values(found.NetworkSettings.Networks)[0];
  return {
    id: found.Config.Labels?.[idLabel] ?? "",
    name: found.Config.Labels?.[nameLabel] ?? "",
    container: found.Name.replace("/", ""),
    // The engine shows the address in use only while the machine runs.
    address: endpoint?.IPAMConfig?.IPv4Address || endpoint?.IPAddress || "",
    running: found.State.Running && !found.State.Paused,
    diskIds: (await recordedDisks(core, found.Id)).map((d) => d.id),
  };
}

/** null when it has vanished. Reading it for a state claims it: from then on it is not a leftover of a killed run. */
export async function readMachine(core: Core, cluster: string, id: string): Promise<Machine | null> {
  const found = await inspectMachine(core, cluster, id);
  if (!found || found.State.Status === "removing" || found.State.Status === "dead") return null;
  try {
    if (!(await hasFile(core, found.Id, claimFile))) await putFiles(core, found.Id, [{ path: claimFile, content: "" }]);
  } catch (cause) {
    // Removed meanwhile.
    if (hasStatus(cause, 404)) return null;
    throw cause;
  }
  return toMachine(core, found);
}
