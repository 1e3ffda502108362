// The machine image, built when the engine lacks it: the first machine or balancer that needs it waits for that.
import type { Engine } from "../../engine/engine.js";
import { EngineError } from "../../engine/error.js";
import type { Context } from "../../framework/resource.js";
import { text } from "../cluster/decode.js";

/** Does nothing for an image that is not one of ours; the create then says that the engine does not have it. */
export async function ensureImage(engine: Engine, tag: string, context: Context): Promise<void> {
  await context.once(`machine-image:${tag}`, async () => {
    if (await engine.imageExists(tag)) return;
    const { ensureMachineImage, versionOfTag } = await import("../../mirror/machine-image.js");
    if (versionOfTag(tag) === undefined) return;
    const root = text(context.config.cache_dir);
    try {
      await ensureMachineImage({
        engine,
        tag,
        ...(root ? { root } : {}),
        log: (progress) =>
          context.log("info", progress.note ?? `${progress.stage}: ${progress.item}`, { done: progress.done, total: progress.total }),
        signal: context.signal,
      });
    } catch (cause) {
      if (cause instanceof EngineError) throw cause;
      throw new EngineError("refused", {
        what: `The machine image ${tag} cannot be built`,
        detail: cause instanceof Error ? cause.message : String(cause),
        fix: "Build it by hand to see each step: honest-paas image build.",
        cause,
      });
    }
  });
}
