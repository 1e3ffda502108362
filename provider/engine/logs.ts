// What a container wrote on its console.
import { whileThere } from "./container-gone.js";
import type { Core } from "./core.js";
import { splitFrames } from "./frames.js";

/** The last lines, oldest first; "" when the container is gone. */
export async function machineConsole(core: Core, container: string, lines = 200): Promise<string> {
  const found = await core.find<{ Config: { Tty: boolean } }>(`/containers/${container}/json`);
  if (!found) return "";
  const query = { stdout: true, stderr: true, tail: lines };
  const bytes = await whileThere(core, container, async () => (await core.call(`/containers/${container}/logs`, { query })).bytes());
  if (bytes === null) return "";
  if (found.Config.Tty) return bytes.toString("utf8");
  const { stdout, stderr } = splitFrames(bytes);
  return stdout + stderr;
}
