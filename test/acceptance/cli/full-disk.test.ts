// The tool on a file system of 64 MiB: it refuses before anything is made, and a disk that runs full names the place, what
// is free there and what is wanted.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { leftovers, run } from "../../support/demo-project.js";

const cli = join(import.meta.dirname, "../../../dist/cli/honest-paas.js");
const dir = mkdtempSync(join(tmpdir(), "hp-full-"));
const cache = join(dir, "cache");
const name = "acc-full";

/** Why no small file system can be had here, or null. */
function mountSmall(): string | null {
  mkdirSync(cache);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", cache], { stdio: "pipe" });
    return null;
  } catch (cause) {
    return `this host lets us mount nothing: ${(cause as Error).message}`;
  }
}
const reason = mountSmall();
afterAll(() => {
  if (reason === null) execFileSync("umount", [cache]);
  rmSync(dir, { recursive: true, force: true });
});
const tool = (...args: string[]) =>
  run(process.execPath, [cli, ...args], { cwd: dir, env: { HONEST_PAAS_CACHE: cache, HONEST_DEMO_NAME: name } });

it.skipIf(reason !== null)(`is refused by demo and shown by doctor${reason ? ` (skipped: ${reason})` : ""}`, async () => {
  const refused = await tool("demo", "--no-install");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /not enough disk space\.\n.*\/cache has 67 MB free; 800 MB are needed: 800 MB in .*\/cache for files and images/,
  );
  expect(refused.stderr).toContain("--no-space-check");
  expect(await leftovers(name)).toEqual([]);
  expect(existsSync(join(cache, "mirror"))).toBe(false);
  const examined = await tool("doctor");
  expect(examined.code).toBe(1);
  expect(examined.stdout).toMatch(/^MISSING {2}space .*67 MB free; 800 MB are needed/m);
});

it.skipIf(reason !== null)("is named when it runs full", async () => {
  const filler = join(cache, "filler");
  expect(() => writeFileSync(filler, Buffer.alloc(80_000_000))).toThrow(/ENOSPC/);
  const failed = await tool("mirror", "build", "--source", "upstream", "--no-install");
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/no space left/i);
  expect(failed.stderr).toMatch(/\/cache: 0\.0 kB free \(0 bytes\); wanted are 800 MB for each Kubernetes version/);
});
