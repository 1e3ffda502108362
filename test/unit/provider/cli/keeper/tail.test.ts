import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { followLines } from "../../../../../provider/cli/keeper/tail.js";

it("gives whole lines, characters cut between two writes included, and the rest at the end", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hp-tail-"));
  const file = join(folder, "log");
  const lines: string[] = [];
  try {
    writeFileSync(file, "one\n");
    const tail = followLines(file, (line) => lines.push(line));
    const bytes = Buffer.from("zwei: ä\nthree");
    appendFileSync(file, bytes.subarray(0, 7));
    await expect.poll(() => lines).toEqual(["one"]);
    appendFileSync(file, bytes.subarray(7));
    await tail.stop();
    expect(lines).toEqual(["one", "zwei: ä", "three"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
