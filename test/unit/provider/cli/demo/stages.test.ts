import { expect, it } from "vitest";
import { createStages } from "../../../../../provider/cli/demo/stages.js";

it("prints each stage with its time, its notes once, and a failure as such", async () => {
  const lines: string[] = [];
  let clock = 0;
  const stages = createStages(
    ["engine", "apply"],
    (line) => lines.push(line),
    () => clock,
  );
  const value = await stages.run("engine", async (note) => {
    clock += 1500;
    note("starting");
    note("starting");
    return { summary: "Docker", value: 7 };
  });
  expect(value).toBe(7);
  await expect(
    stages.run("apply", async () => {
      clock += 2000;
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  expect(lines).toEqual([
    "[1/2] engine  ...",
    "         1.5 s  starting",
    "[1/2] engine  Docker (1.5 s)",
    "[2/2] apply   ...",
    "[2/2] apply   failed after 2.0 s",
  ]);
  expect(stages.times).toEqual([
    { name: "engine", ms: 1500 },
    { name: "apply", ms: 2000 },
  ]);
});
