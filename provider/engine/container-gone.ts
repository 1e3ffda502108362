// Containers that are removed while they are being worked on: by Terraform beside it, by another process, by hand. For as long
// as a removal lasts the engine answers whatever comes into its way (404, 409, "RWLayer is unexpectedly nil", "error
// processing tar file"), so an error is believed only when the container is still there.
import type { Core } from "./core.js";
import { EngineError, hasStatus } from "./error.js";

/** Waits until the engine does not know it any more; false when it still does after the time. @default 10 s */
export async function waitGone(core: Core, container: string, seconds = 10): Promise<boolean> {
  for (const end = Date.now() + seconds * 1000; ; ) {
    if ((await core.find(`/containers/${container}/json`)) === null) return true;
    if (Date.now() > end) return false;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/**
 * Whether the engine itself says that the container is gone or beyond use; one that is being removed is waited for. An engine
 * that does not answer throws.
 */
export async function isGone(core: Core, container: string): Promise<boolean> {
  const found = await core.find<{ readonly State: { readonly Status: string } }>(`/containers/${container}/json`);
  if (found === null) return true;
  if (found.State.Status !== "removing" && found.State.Status !== "dead") return false;
  // one whose removal failed half-way stays in this state; nothing in it can be used either
  await waitGone(core, container);
  return true;
}

/** What the work gives; null when the container, or what is asked of it, is not there. Errors of one that is there are thrown. */
export async function whileThere<T>(core: Core, container: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (cause) {
    if (hasStatus(cause, 404)) return null;
    if (cause instanceof EngineError && cause.kind === "stopped") throw cause;
    if (await isGone(core, container)) return null;
    throw cause;
  }
}
