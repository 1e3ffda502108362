// One file over HTTP: goes on after a cut, in this run or the next, and is believed only when its sha256 is the wanted one.
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sha256Of, sizeOf } from "./cache.js";
import { type Fetcher, reasonOf, UpstreamFailed } from "./fetcher.js";

/** Cuts in a row without a byte gained before it is given up. */
const patience = 3;

export interface Download {
  readonly url: string;
  readonly target: string;
  readonly sha256: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Piece = "whole" | "cut" | "unusable";

/** Fetches what the part lacks. */
async function fetchRest(fetcher: Fetcher, download: Download, part: string): Promise<Piece> {
  const { url } = download;
  const have = (await sizeOf(part)) ?? 0;
  // content-encoding would make the bytes differ from the published ones
  const headers = { "accept-encoding": "identity", ...download.headers, ...(have > 0 ? { range: `bytes=${have}-` } : {}) };
  const response = await fetcher.get(url, headers);
  if (response.status === 416) {
    await response.body?.cancel();
    // nothing behind what is there: complete, or longer than the file now is; the sum tells
    return "whole";
  }
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new UpstreamFailed(`${url}: HTTP ${response.status}`);
  }
  if (response.status === 206 && !response.headers.get("content-range")?.startsWith(`bytes ${have}-`)) {
    await response.body.cancel();
    return "unusable";
  }
  try {
    await pipeline(Readable.fromWeb(response.body), createWriteStream(part, { flags: response.status === 206 ? "a" : "w" }));
    return "whole";
  } catch (cause) {
    fetcher.signal.throwIfAborted();
    // the disk's trouble is not upstream's
    if ((cause as NodeJS.ErrnoException).syscall === "write" || (cause as NodeJS.ErrnoException).code === "ENOSPC") throw cause;
    if ((cause as NodeJS.ErrnoException).syscall === "open") throw cause;
    return "cut";
  }
}

export async function download(fetcher: Fetcher, file: Download): Promise<void> {
  const part = `${file.target}.part`;
  await mkdir(dirname(file.target), { recursive: true });
  const began = (await sizeOf(part)) ?? 0;
  let resumed = began > 0;
  for (let idle = 0; ; ) {
    const before = (await sizeOf(part)) ?? 0;
    const piece = await fetchRest(fetcher, file, part);
    if (piece === "cut") {
      const gained = ((await sizeOf(part)) ?? 0) > before;
      idle = gained ? 0 : idle + 1;
      if (idle === patience)
        throw new UpstreamFailed(`${file.url}: cut off ${patience} times in a row at ${before} bytes; run again to go on from there`);
      resumed = true;
      continue;
    }
    const got = piece === "whole" ? await sha256Of(part) : "";
    if (got === file.sha256) break;
    await rm(part, { force: true });
    // pieces of two different files, or one spoilt on the disk: once more from the start
    if (!resumed) throw new UpstreamFailed(`${file.url}: sha256 is ${got}, published is ${file.sha256}; the file was thrown away`);
    resumed = false;
  }
  await rename(part, file.target);
}

/** A small text; its checksum or content is judged by the caller. */
export async function fetchText(fetcher: Fetcher, url: string): Promise<string> {
  const response = await fetcher.get(url);
  if (!response.ok) {
    await response.body?.cancel();
    throw new UpstreamFailed(`${url}: HTTP ${response.status}`);
  }
  try {
    return await response.text();
  } catch (cause) {
    fetcher.signal.throwIfAborted();
    throw new UpstreamFailed(`${url}: ${reasonOf(cause)}`);
  }
}
