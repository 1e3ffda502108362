import { statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { download } from "../../../../provider/mirror/download.js";
import { createFetcher, UpstreamFailed } from "../../../../provider/mirror/fetcher.js";
import { rangeOf } from "../../../../provider/mirror/serve.js";
import { openWorld } from "../../../support/open-world.js";
import { atEnd, closed, never, put, scratch, server, sha256 } from "./fixture.js";

openWorld("sockets");

const body = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 251));

function fetcher(options: { signal?: AbortSignal; connectMs?: number; stallMs?: number } = {}) {
  const made = createFetcher({ signal: never(), ...options });
  atEnd(() => made.close());
  return made;
}

/** Serves the body with ranges; `cut(nth)` bytes are sent, and are in the `part`, before the connection is broken. */
const flaky = (ranges: string[], cut: (nth: number) => number | undefined, part = "") =>
  server((request, response, nth) => {
    ranges.push(request.headers.range ?? "whole");
    const range = rangeOf(request.headers.range, body.length);
    if (range === "bad") return response.writeHead(416).end();
    const rest = body.subarray(range?.start ?? 0);
    const headers = {
      "content-length": rest.length,
      ...(range ? { "content-range": `bytes ${range.start}-${range.end}/${body.length}` } : {}),
    };
    response.writeHead(range ? 206 : 200, headers);
    const bytes = cut(nth);
    if (bytes === undefined) return response.end(rest);
    const arrived = (range?.start ?? 0) + bytes;
    response.write(rest.subarray(0, bytes));
    const timer = setInterval(() => {
      if (part && (statSync(part, { throwIfNoEntry: false })?.size ?? 0) < arrived) return;
      clearInterval(timer);
      response.destroy();
    }, 10);
  });

describe("download", () => {
  it("goes on where a connection broke, as often as something is gained", async () => {
    const folder = await scratch();
    const ranges: string[] = [];
    const url = await flaky(ranges, (nth) => (nth < 5 ? 50_000 : undefined), join(folder, "f.part"));
    await download(fetcher(), { url, target: join(folder, "f"), sha256: sha256(body) });
    expect(ranges).toEqual(["whole", ...[1, 2, 3, 4, 5].map((n) => `bytes=${n * 50_000}-`)]);
    expect(sha256(await readFile(join(folder, "f")))).toBe(sha256(body));
    expect(await readdir(folder)).toEqual(["f"]);
  });

  it("gives up when nothing is gained, keeps what it has, and the next run goes on", async () => {
    const folder = await scratch();
    const ranges: string[] = [];
    let broken = true;
    const url = await flaky(ranges, (nth) => (broken ? (nth === 0 ? 1000 : 0) : undefined), join(folder, "f.part"));
    const file = { url, target: join(folder, "f"), sha256: sha256(body) };
    await expect(download(fetcher(), file)).rejects.toThrow(/cut off 3 times in a row at 1000 bytes/);
    broken = false;
    await download(fetcher(), file);
    expect(ranges.at(-1)).toBe("bytes=1000-");
    expect(sha256(await readFile(file.target))).toBe(sha256(body));
  });

  it("starts over when the part on the disk is spoilt", async () => {
    const folder = await scratch();
    const ranges: string[] = [];
    const url = await flaky(ranges, () => undefined);
    await put(join(folder, "f.part"), "not the beginning of it");
    await download(fetcher(), { url, target: join(folder, "f"), sha256: sha256(body) });
    expect(ranges).toEqual(["bytes=23-", "whole"]);
    expect(sha256(await readFile(join(folder, "f")))).toBe(sha256(body));
  });

  it("takes a part that was complete, and drops one that is too long", async () => {
    const folder = await scratch();
    const ranges: string[] = [];
    const url = await flaky(ranges, () => undefined);
    await put(join(folder, "f.part"), body);
    await download(fetcher(), { url, target: join(folder, "f"), sha256: sha256(body) });
    await put(join(folder, "g.part"), Buffer.concat([body, body]));
    await download(fetcher(), { url, target: join(folder, "g"), sha256: sha256(body) });
    expect(ranges).toEqual([`bytes=${body.length}-`, `bytes=${2 * body.length}-`, "whole"]);
    expect(sha256(await readFile(join(folder, "g")))).toBe(sha256(body));
  });

  it("copes with servers that ignore ranges or answer with others", async () => {
    const folder = await scratch();
    for (const [name, status] of [
      ["f", 200],
      ["g", 206],
    ] as const) {
      const url = await server((request, response) => {
        if (status === 206 && request.headers.range) return response.writeHead(206, { "content-range": "bytes 5-9/10" }).end("56789");
        response.writeHead(200).end(body);
      });
      await put(join(folder, `${name}.part`), body.subarray(0, 10));
      await download(fetcher(), { url, target: join(folder, name), sha256: sha256(body) });
      expect(sha256(await readFile(join(folder, name)))).toBe(sha256(body));
    }
  });

  it("fails when the content is not what was published, and keeps nothing of it", async () => {
    const folder = await scratch();
    const url = await server((_, response) => response.end("something else"));
    const work = download(fetcher(), { url, target: join(folder, "f"), sha256: sha256(body) });
    await expect(work).rejects.toThrow(`sha256 is ${sha256("something else")}, published is ${sha256(body)}`);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["404", 404],
    ["503", 503],
  ])("fails when the server says %s", async (_, status) => {
    const url = await server((_request, response) => response.writeHead(status).end());
    const work = download(fetcher(), { url, target: join(await scratch(), "f"), sha256: "" });
    await expect(work).rejects.toMatchObject({ unreachable: false, message: `${url}: HTTP ${status}` });
  });

  it("fails soon when nothing answers", async () => {
    const silent = await server(() => {});
    const begun = Date.now();
    await expect(fetcher({ connectMs: 300 }).get(silent)).rejects.toMatchObject({ unreachable: true });
    await expect(fetcher().get(await closed())).rejects.toBeInstanceOf(UpstreamFailed);
    expect(Date.now() - begun).toBeLessThan(3000);
  });

  it("does not count the whole download against the time limit, only silence", { timeout: 20_000 }, async () => {
    const folder = await scratch();
    const slow = await server((_, response) => {
      response.writeHead(200, { "content-length": 12 });
      let n = 0;
      const timer = setInterval(() => (n++ < 12 ? response.write("x") : clearInterval(timer)), 150);
    });
    await download(fetcher({ connectMs: 1000, stallMs: 2000 }), { url: slow, target: join(folder, "f"), sha256: sha256("x".repeat(12)) });
    const stalled = await server((_, response) => {
      response.writeHead(200, { "content-length": 12 }).write("x");
    });
    const work = download(fetcher({ stallMs: 300 }), { url: stalled, target: join(folder, "g"), sha256: "" });
    await expect(work).rejects.toThrow(/cut off/);
  });

  it("stops when told, and is no failure of upstream then", async () => {
    const folder = await scratch();
    const stop = new AbortController();
    const url = await server((_, response) => {
      response.writeHead(200, { "content-length": 12 }).write("x");
      setTimeout(() => stop.abort(), 50);
    });
    const work = download(fetcher({ signal: stop.signal }), { url, target: join(folder, "f"), sha256: "" });
    await expect(work).rejects.toMatchObject({ name: "AbortError" });
    expect(await readdir(folder)).toEqual(["f.part"]);
  });

  it("says the disk's error as it is", async () => {
    const folder = await scratch();
    await put(join(folder, "f.part", "in-the-way"), "");
    const url = await server((_, response) => response.end(body));
    await expect(download(fetcher(), { url, target: join(folder, "f"), sha256: "" })).rejects.toMatchObject({ code: "EISDIR" });
  });
});
