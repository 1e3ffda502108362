// Files from where upstream publishes them, checked against the sum that is published beside them.
import { join } from "node:path";
import type { Artefact } from "./artefact.js";
import { download, fetchText } from "./download.js";
import { type Fetcher, UpstreamFailed } from "./fetcher.js";

export { UpstreamFailed } from "./fetcher.js";

/** The published checksum: a line "HEX  NAME" for the file, or a file that holds nothing but the hex. */
export function findChecksum(text: string, file: string): string | undefined {
  for (const line of text.split("\n")) {
    const [hex = "", name] = line.trim().split(/\s+\*?/);
    if (/^[0-9a-f]{64}$/i.test(hex) && (name === undefined || name === file || name.endsWith(`/${file}`))) return hex.toLowerCase();
  }
  return undefined;
}

/** `base` stands in place of "https:/" before the path: another mirror, or a test. */
export async function fetchUpstream(mirror: string, artefact: Artefact, fetcher: Fetcher, base = "https:/"): Promise<void> {
  const sums = `${base}/${artefact.checksum}`;
  const sha256 = findChecksum(await fetchText(fetcher, sums), artefact.path.slice(artefact.path.lastIndexOf("/") + 1));
  if (!sha256) throw new UpstreamFailed(`${sums} names no checksum of ${artefact.path}`);
  await download(fetcher, { url: `${base}/${artefact.path}`, target: join(mirror, artefact.path), sha256 });
}
