// A first run of the demo that is killed or fails in mid-apply: destroy right after it leaves nothing.
import { existsSync, readdirSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { type DemoProject, demoProject, leftovers } from "../support/demo-project.js";

const name = "e2e-cut";
let project: DemoProject | undefined;
afterEach(async () => {
  await project?.destroy();
  expect(await leftovers(name)).toEqual([]);
});

describe("a first run that is cut", () => {
  it("by kill -9 with machines half made: destroy leaves nothing, neither objects nor files", async () => {
    const demo = demoProject(name);
    project = demo;
    const ended = await demo.demo(["--workers", "1"], {
      started(child) {
        child.stdout?.on("data", (chunk: Buffer) => {
          // the first machine is there, the second is being made, nothing is booted
          if (/made \S*honest_local_(machine|balancer)/.test(String(chunk))) child.kill("SIGKILL");
        });
      },
    });
    expect(ended.code).not.toBe(0);
    expect(await leftovers(name)).not.toEqual([]);
    const gone = await demo.demo(["destroy"]);
    expect(gone.code, gone.stdout + gone.stderr).toBe(0);
    expect(await leftovers(name)).toEqual([]);
    expect(existsSync(`${demo.dir}/.honest/demo`)).toBe(false);
  });

  it("by an engine that does not answer: the error names it, destroy leaves nothing", async () => {
    const demo = demoProject(name);
    project = demo;
    const failed = await demo.demo(["--workers", "0"], { env: { DOCKER_HOST: "unix:///nowhere/docker.sock" } });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("No Docker engine answers at unix:///nowhere/docker.sock");
    const gone = await demo.demo(["destroy"]);
    expect(gone.code, gone.stdout + gone.stderr).toBe(0);
    expect(readdirSync(demo.dir).filter((file) => file !== ".honest")).toEqual([]);
  });
});
