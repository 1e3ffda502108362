import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyOf } from "../../../../../provider/cli/keeper/state-file.js";
import { watchState } from "../../../../../provider/cli/keeper/watch.js";

it("copies what is written while it watches, and a last time when it stops", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hp-watch-"));
  const file = join(folder, "terraform.tfstate");
  const problems: string[] = [];
  try {
    const watch = watchState(file, (problem) => problems.push(problem));
    writeFileSync(file, JSON.stringify({ serial: 1, lineage: "one" }));
    await expect.poll(() => readFileSync(copyOf(file), "utf8"), { timeout: 3000 }).toContain('"serial":1');
    writeFileSync(file, JSON.stringify({ serial: 2, lineage: "one" }));
    watch.stop();
    expect(readFileSync(copyOf(file), "utf8")).toContain('"serial":2');
    expect(problems).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
