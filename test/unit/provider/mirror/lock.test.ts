import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withLock } from "../../../../provider/mirror/lock.js";
import { openWorld } from "../../../support/open-world.js";
import { never, put, scratch } from "./fixture.js";

openWorld("processes");

const quiet = (): void => {};

describe("withLock", () => {
  it("lets one at a time in, and leaves nothing", async () => {
    const folder = await scratch();
    const path = join(folder, "build.lock");
    let inside = 0;
    const told: string[] = [];
    const results = await Promise.all(
      [1, 2, 3].map((n) =>
        withLock(
          path,
          () => told.push(`waits ${n}`),
          never(),
          async () => {
            inside += 1;
            expect(inside).toBe(1);
            await new Promise((wake) => setTimeout(wake, 30));
            inside -= 1;
            return n;
          },
        ),
      ),
    );
    expect(results).toEqual([1, 2, 3]);
    expect(told).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
  });

  it("is let go when the work fails", async () => {
    const path = join(await scratch(), "build.lock");
    await expect(withLock(path, quiet, never(), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await withLock(path, quiet, never(), async () => "next")).toBe("next");
  });

  it("is given up when the waiting process is told to stop", async () => {
    const path = join(await scratch(), "build.lock");
    await withLock(path, quiet, never(), async () => {
      await expect(withLock(path, quiet, AbortSignal.timeout(50), async () => "never")).rejects.toThrow(/timeout/i);
    });
  });

  it("is taken from a dead process without a wait, also when its number lives again", async () => {
    const path = join(await scratch(), "build.lock");
    let own = "";
    await withLock(path, quiet, never(), async () => {
      own = await readFile(path, "utf8");
    });
    const dead = JSON.parse(own) as object;
    let waited = 0;
    for (const holder of [
      { ...dead, pid: 2 ** 22 - 1, nonce: "x" },
      { ...dead, started: "1", nonce: "x" },
    ]) {
      await writeFile(path, JSON.stringify(holder));
      await withLock(
        path,
        () => (waited += 1),
        never(),
        async () => {},
      );
    }
    expect(waited).toBe(0);
  });

  it("is not taken from a process elsewhere that still touches it", async () => {
    const path = join(await scratch(), "build.lock");
    await put(path, JSON.stringify({ pid: 1, started: "1", place: `${hostname()} pid:[1]`, nonce: "x" }));
    await expect(withLock(path, quiet, AbortSignal.timeout(300), async () => {})).rejects.toThrow(/timeout/i);
  });

  it("keeps processes apart, one of which is killed while it holds it", { timeout: 60_000 }, async () => {
    const folder = await scratch();
    const counter = await put(join(folder, "counter"), "0");
    const module = join(import.meta.dirname, "../../../../provider/mirror/lock.ts");
    const script = `
      import { readFileSync, writeFileSync } from "node:fs";
      import { withLock } from ${JSON.stringify(module)};
      const [path, counter, die] = process.argv.slice(-3);
      for (let i = 0; i < 15; i += 1)
        await withLock(path, () => {}, new AbortController().signal, async () => {
          const n = Number(readFileSync(counter, "utf8"));
          await new Promise((wake) => setTimeout(wake, 2));
          writeFileSync(counter, String(n + 1));
          if (die === "die" && i === 7) process.kill(process.pid, "SIGKILL");
        });`;
    const run = (die: string): Promise<string | number | null> =>
      new Promise((done) => {
        const argv = ["--import", "tsx", "--input-type=module", "-e", script, "--", join(folder, "l"), counter, die];
        spawn(process.execPath, argv, { stdio: "inherit", cwd: join(import.meta.dirname, "../../../..") }).on("close", (code, signal) =>
          done(signal ?? code),
        );
      });
    expect(await Promise.all([run("live"), run("live"), run("die")])).toEqual([0, 0, "SIGKILL"]);
    expect(await readFile(counter, "utf8")).toBe("38");
  });
});
