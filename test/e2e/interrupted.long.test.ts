// The demo is killed with -9 again and again, a little later each time, until a run gets through: it resumes, and nothing is
// there twice.
import { afterAll, expect, it } from "vitest";
import { demoProject, leftovers, run } from "../support/demo-project.js";

const name = "long-cut";
const project = demoProject(name);
afterAll(async () => {
  await project.destroy();
  expect(await leftovers(name)).toEqual([]);
});

it("gets through in the end, whatever moment it is killed at", async () => {
  const args = ["--control-planes", "1", "--workers", "2"];
  let kills = 0;
  for (const seconds of [0.2, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40]) {
    const ended = await project.demo(args, { started: (child) => void setTimeout(() => child.kill("SIGKILL"), seconds * 1000) });
    if (ended.code === 0) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(5);
  const done = await project.demo(args);
  expect(done.code, done.stdout + done.stderr).toBe(0);
  const machines = await run("docker", [
    ...["ps", "-aq", "--filter", `label=honest-paas.dev/cluster=${name}`],
    ...["--filter", "label=honest-paas.dev/kind=machine"],
  ]);
  expect(machines.stdout.trim().split("\n")).toHaveLength(3);
  expect((await project.nodes()).filter((node) => node.ready)).toHaveLength(3);
  const plan = await project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
  expect(plan.code, plan.stdout + plan.stderr).toBe(0);
});
