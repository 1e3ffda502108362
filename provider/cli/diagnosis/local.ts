// Machines and balancer of the local cloud, seen through the engine.
import { readMachineFile } from "../../engine/archive.js";
import { createEngine, type Engine } from "../../engine/engine.js";
import { EngineError } from "../../engine/error.js";
import { filterOf } from "../../engine/labels.js";
import { machineConsole } from "../../engine/logs.js";
import { type Inspected, machinesOf } from "../../engine/machine-find.js";
import { lastLines, readMarker } from "../demo/machines.js";
import { distressOf } from "./consoles.js";
import type { Evidence, MachineEvidence } from "./evidence.js";

const markerFile = "/var/lib/honest-paas/marker.json";
const consoleLines = 2_000;

export type Seen = Pick<Evidence, "machines" | "balancer">;

/** Nothing is seen where no engine answers: it may be another computer's. */
export async function localMachines(cluster: string, controlPlanes: readonly string[], host: string, signal: AbortSignal): Promise<Seen> {
  const engine = createEngine(host);
  try {
    const bounded = engine.withSignal(signal);
    return { machines: await machines(bounded, cluster, controlPlanes), balancer: await balancer(bounded, cluster) };
  } catch (cause) {
    if (cause instanceof EngineError && cause.kind === "unreachable") return { machines: null, balancer: null };
    throw cause;
  } finally {
    await engine.close();
  }
}

async function machines(engine: Engine, cluster: string, controlPlanes: readonly string[]): Promise<readonly MachineEvidence[]> {
  const rows = await machinesOf(engine, cluster);
  const found = await Promise.all(
    rows.map(async ({ container, name }): Promise<MachineEvidence | null> => {
      const inspected = await engine.find<Inspected>(`/containers/${container}/json`);
      if (!inspected) return null;
      const running = inspected.State.Running && !inspected.State.Paused;
      const marker = readMarker(await readMachineFile(engine, container, markerFile));
      return {
        name,
        role: controlPlanes.includes(name) ? "control-plane" : "worker",
        running,
        marker: marker === undefined ? null : { stage: marker.stage ?? "", ok: marker.ok === true, reason: marker.reason ?? "" },
        // of one that is off the last words are of another time
        distress: running ? distressOf(lastLines(await machineConsole(engine, container, consoleLines), consoleLines)) : null,
      };
    }),
  );
  return found.filter((machine) => machine !== null).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function balancer(engine: Engine, cluster: string): Promise<Evidence["balancer"]> {
  const rows = await engine.json<readonly { readonly State: string }[]>("/containers/json", {
    query: { all: true, filters: filterOf(cluster, "balancer") },
  });
  if (rows.length === 0) return "gone";
  return rows.some(({ State }) => State === "running") ? "runs" : "stopped";
}
