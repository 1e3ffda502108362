// Images: is it there, import a root file system, build from a context.
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import type { Answer } from "./http.js";

export interface ImageInfo {
  readonly Id: string;
  readonly RepoTags: readonly string[] | null;
}

export const imageExists = async (core: Core, tag: string): Promise<boolean> =>
  (await core.find(`/images/${encodeURI(tag)}/json`)) !== null;

/** null when there is no such image. */
export async function imageLabels(core: Core, tag: string): Promise<Readonly<Record<string, string>> | null> {
  const found = await core.find<{ readonly Config?: { readonly Labels?: Readonly<Record<string, string>> | null } }>(
    `/images/${encodeURI(tag)}/json`,
  );
  return found && (found.Config?.Labels ?? {});
}

/** Reads the progress to its end; the engine reports failures inside it, under status 200. */
async function finish(answer: Answer, what: string, log: (line: string) => void): Promise<void> {
  for await (const line of answer.lines()) {
    const { error, stream, status } = line as { error?: string; stream?: string; status?: string };
    if (error) throw new EngineError("answer", { what, detail: error });
    const text = (stream ?? status ?? "").trim();
    if (text) log(text);
  }
}

export interface ImageOptions {
  readonly log?: (line: string) => void;
}

/** `changes` are Dockerfile lines: `CMD ["/lib/systemd/systemd"]`. */
export async function importImage(
  core: Core,
  tar: NodeJS.ReadableStream | Uint8Array,
  tag: string,
  changes: readonly string[] = [],
  options: ImageOptions = {},
): Promise<void> {
  const colon = tag.lastIndexOf(":");
  const query = new URLSearchParams({ fromSrc: "-", repo: tag.slice(0, colon), tag: tag.slice(colon + 1) });
  for (const change of changes) query.append("changes", change);
  const answer = await core.call(`/images/create?${query}`, {
    method: "POST",
    contentType: "application/x-tar",
    body: tar,
    headTimeoutMs: 0,
  });
  await finish(answer, `Cannot import the image ${tag}`, options.log ?? (() => {}));
}

/** The context holds a Dockerfile at its root. Steps run without a network unless told. */
export async function buildImage(
  core: Core,
  context: NodeJS.ReadableStream | Uint8Array,
  tag: string,
  options: ImageOptions & { readonly network?: string } = {},
): Promise<void> {
  const answer = await core.call("/build", {
    method: "POST",
    query: { t: tag, rm: true, forcerm: true, networkmode: options.network ?? "none" },
    contentType: "application/x-tar",
    body: context,
    headTimeoutMs: 0,
  });
  await finish(answer, `Cannot build the image ${tag}`, options.log ?? (() => {}));
}

export const removeImage = (core: Core, tag: string): Promise<boolean> => core.drop(`/images/${encodeURI(tag)}`);

/** An image that can run a helper: the machine image of a cluster, or any of ours. null when the engine has none. */
export async function anyOwnImage(core: Core): Promise<string | null> {
  const images = await core.json<readonly ImageInfo[]>("/images/json", {
    query: { filters: JSON.stringify({ reference: ["honest-paas/*"] }) },
  });
  const tags = images.flatMap((image) => image.RepoTags ?? []).sort();
  return tags.find((tag) => tag.startsWith("honest-paas/machine:")) ?? tags[0] ?? null;
}
