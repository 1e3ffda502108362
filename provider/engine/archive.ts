// Files in and out of a container, running or not, through the archive API: works with a remote engine too.
import type { Core } from "./core.js";
import { hasStatus } from "./error.js";
import { type FileEntry, firstFile, packTar } from "./tar.js";

export async function putFiles(core: Core, container: string, files: readonly FileEntry[]): Promise<void> {
  const answer = await core.call(`/containers/${container}/archive`, {
    method: "PUT",
    query: { path: "/" },
    contentType: "application/x-tar",
    body: await packTar(files),
  });
  await answer.bytes();
}

/** null when the container or the file is not there. */
export async function readMachineFile(core: Core, container: string, path: string): Promise<string | null> {
  try {
    const answer = await core.call(`/containers/${container}/archive`, { query: { path } });
    const content = await firstFile(await answer.bytes());
    return content === null ? null : content.toString("utf8");
  } catch (cause) {
    if (hasStatus(cause, 404)) return null;
    throw cause;
  }
}

export async function hasFile(core: Core, container: string, path: string): Promise<boolean> {
  try {
    await (await core.call(`/containers/${container}/archive`, { method: "HEAD", query: { path } })).bytes();
    return true;
  } catch (cause) {
    if (hasStatus(cause, 404)) return false;
    throw cause;
  }
}
