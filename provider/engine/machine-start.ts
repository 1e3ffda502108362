// Starts a machine and sees that it stays up for a moment; says what its console said when it does not.
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import { machineConsole } from "./logs.js";
import { refreshDisks } from "./machine-disks.js";
import type { Inspected } from "./machine-find.js";

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

function startProblem(name: string, cause: EngineError): EngineError {
  const address = /address already in use/i.test(cause.detail);
  return new EngineError("refused", {
    what: `The machine "${name}" does not start`,
    detail: cause.detail,
    fix: address
      ? "Another container of the network has its address: remove that one, or give the machine another address."
      : "See that the engine's host has memory and processors left, then apply again.",
    cause,
  });
}

export async function startContainer(core: Core, container: string, name: string): Promise<void> {
  try {
    await (await core.call(`/containers/${container}/start`, { method: "POST" })).bytes();
  } catch (cause) {
    throw cause instanceof EngineError && cause.kind === "answer" ? startProblem(name, cause) : cause;
  }
  for (const pause of [150, 350]) {
    await sleep(pause);
    const now = await core.find<Inspected>(`/containers/${container}/json`);
    // The engine starts one that fails again at once, so that it may look alive; a start by us sets the count to zero.
    if (now?.State.Running && now.State.Status !== "restarting" && now.RestartCount === 0) continue;
    const tail = await machineConsole(core, container, 30);
    throw new EngineError("refused", {
      what: `The machine "${name}" ended at once`,
      detail: `Its first process ended${now && !now.State.Running ? ` with code ${now.State.ExitCode}` : ""}. ${now?.State.Error ?? ""}\nConsole:\n${tail.trim() || "(nothing)"}`,
      fix: "See that its image has /lib/systemd/systemd and is made for the engine's architecture.",
    });
  }
}

/** Brings a stopped or paused machine back, its disks first. Does nothing to a running one. */
export async function startMachine(core: Core, cluster: string, id: string, machine: Inspected): Promise<void> {
  const name = machine.Name.replace("/", "");
  if (machine.State.Paused) {
    await (await core.call(`/containers/${machine.Id}/unpause`, { method: "POST" })).bytes();
    return;
  }
  if (machine.State.Running) return;
  await refreshDisks(core, cluster, id, machine);
  await startContainer(core, machine.Id, name);
}
