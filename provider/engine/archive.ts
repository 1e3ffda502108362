// Files in and out of a container, running or not, through the archive API: works with a remote engine too.
import { isGone, whileThere } from "./container-gone.js";
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import { type FileEntry, firstFile, packTar } from "./tar.js";

/** Fails with the status 404 when the container is gone, also when it went while the files were on their way. */
export async function putFiles(core: Core, container: string, files: readonly FileEntry[]): Promise<void> {
  try {
    const answer = await core.call(`/containers/${container}/archive`, {
      method: "PUT",
      query: { path: "/" },
      contentType: "application/x-tar",
      body: await packTar(files),
    });
    await answer.bytes();
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.kind !== "answer" || cause.status === 404) throw cause;
    if (!(await isGone(core, container))) throw cause;
    throw new EngineError("answer", {
      what: "The container is gone",
      detail: `${container} was removed while files were put into it (${cause.detail}).`,
      fix: "Apply again: the next plan makes it anew.",
      status: 404,
      cause,
    });
  }
}

/** null when the container or the file is not there. */
export const readMachineFile = (core: Core, container: string, path: string): Promise<string | null> =>
  whileThere(core, container, async () => {
    const answer = await core.call(`/containers/${container}/archive`, { query: { path } });
    const content = await firstFile(await answer.bytes());
    return content === null ? null : content.toString("utf8");
  });

export const hasFile = async (core: Core, container: string, path: string): Promise<boolean> =>
  (await whileThere(core, container, async () => {
    await (await core.call(`/containers/${container}/archive`, { method: "HEAD", query: { path } })).bytes();
    return true;
  })) ?? false;
