// What the machines of a demo say about themselves when the cluster does not come: the marker of the boot stage and the
// last lines of the console, read through the engine. A machine that never joined has no other voice.
import { readMachineFile } from "../../engine/archive.js";
import type { Engine } from "../../engine/engine.js";
import { EngineError } from "../../engine/error.js";
import { machineConsole } from "../../engine/logs.js";
import { type Inspected, machinesOf } from "../../engine/machine-find.js";

/** As cloud-init/honest/host.py writes it. */
interface Marker {
  readonly stage?: string;
  readonly ok?: boolean;
  readonly reason?: string;
  readonly at?: string;
}

const markerFile = "/var/lib/honest-paas/marker.json";
const consoleLines = 12;

export function readMarker(text: string | null): Marker | undefined {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as Marker;
  } catch {
    // read in the middle of a write on a file system that failed: as good as none
    return undefined;
  }
}

/** Half a sentence; undefined when the machine has done its part. */
export function wordMachine(
  state: { readonly Running: boolean; readonly ExitCode: number },
  marker: Marker | undefined,
): string | undefined {
  const stopped = state.Running ? "" : `it does not run (ended with code ${state.ExitCode}); `;
  if (!marker) return `${stopped}no stage has begun: cloud-init has not come to the boot stage, or failed before it`;
  const stage = `stage "${marker.stage}" ${marker.ok ? "is done, the next one is not" : `is not done: ${marker.reason || "no reason given"}`}`;
  if (marker.ok && marker.stage === "ready") return stopped ? `${stopped}it was ready before` : undefined;
  return `${stopped}${stage} (marker of ${marker.at})`;
}

/** The lines that a person reads: no colours, no empty ones. */
export const lastLines = (text: string, count = consoleLines): readonly string[] =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are control characters
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "")
    .split(/\r?\n|\r/)
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .slice(-count);

/** For each machine that is not ready: its name, its stage and reason, its console. [] when all have done their part. */
export async function machineTroubles(engine: Engine, cluster: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { container, name } of await machinesOf(engine, cluster)) {
    const inspected = await engine.find<Inspected>(`/containers/${container}/json`);
    if (!inspected) continue;
    const trouble = wordMachine(inspected.State, readMarker(await readMachineFile(engine, container, markerFile)));
    if (trouble === undefined) continue;
    const said = lastLines(await machineConsole(engine, container, 200));
    found.push(`machine ${name}: ${trouble}`, ...(said.length ? said : ["(its console is empty)"]).map((line) => `  | ${line}`));
    found.push(`  all of it: docker logs ${inspected.Name.replace("/", "")}`);
  }
  return found;
}

/** The same for an error that is already there: it must not be lost over an engine that fails as well. */
export async function tryMachineTroubles(engine: Engine, cluster: string): Promise<readonly string[]> {
  try {
    return await machineTroubles(engine, cluster);
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    return [`the machines could not be looked at: ${cause.message}`];
  }
}
