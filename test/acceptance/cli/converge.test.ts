// honest-paas converge with a real terraform: the whole roll, cut at every kind of moment, and refused.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ConvergeEvent } from "../../../provider/cli/converge/event.js";
import { converge } from "../../../provider/cli/converge/loop.js";
import { createRunner, filesOf } from "../../../provider/cli/converge/runner.js";
import { mostDown, type Wanted } from "../membership/fixture.js";
import { type Tool, tool } from "./fixture.js";

let t: Tool | undefined;
afterEach(async () => {
  await t?.close();
  t = undefined;
});

const larger: Wanted = { controlPlanes: 3, props: { controlPlane: { replicas: 3, instanceType: "local.cpu2.mem4096" } } };
const names = ["demo-cp-a", "demo-cp-b", "demo-cp-c"];
const stops = (of: Tool) => of.cloud.cluster.machines.events.filter((e) => e.startsWith("stop")).map((e) => e.slice("stop ".length));
const count = (events: readonly ConvergeEvent[], what: string) => events.filter((e) => e.event === what).length;

async function three(wanted: Wanted = { controlPlanes: 3 }): Promise<Tool> {
  t = await tool(wanted);
  return t;
}

describe("a new release of three control planes", () => {
  it("is rolled to its end, one machine an apply, each plan shown before it is applied", async () => {
    const of = await three();
    of.want(larger);
    const ran = await of.run(["converge", "--yes", "--json"]);
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(stops(of)).toEqual(names);
    expect(mostDown(of)).toBe(1);
    const kinds = ran.events.map((e) => e.event).filter((kind) => kind !== "note");
    expect(kinds).toEqual(["plan", "apply", "plan", "apply", "plan", "apply", "plan", "result"]);
    const plans = ran.events.filter((e) => e.event === "plan");
    expect(plans.map((p) => [p.machines.filter((m) => m.done).length, p.pending])).toEqual([
      [0, 2],
      [1, 1],
      [2, 0],
      [3, 0],
    ]);
    expect(plans[0]?.warnings.join()).toMatch(/demo-cp-a takes its new release now; demo-cp-b, demo-cp-c wait for their turn/);
    await of.w.expectEmptyPlan();
    const again = await of.run(["converge"]);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stdout).toMatch(/plan {3}nothing to change.*\n.*3 of 3 machines on the new release\nDone/);
  });

  it("is not begun without --yes where nobody can be asked", async () => {
    const of = await three();
    of.want(larger);
    const ran = await of.run(["converge"]);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toMatch(/Stopped: nobody is there to be asked.*--yes/);
    expect(stops(of)).toEqual([]);
  });

  it("is asked for at a terminal, where a bar is drawn, and nothing moves without a yes", async () => {
    const of = await three();
    of.want(larger);
    const no = await of.atTerminal(["converge"], ["y"]);
    expect(no.code, no.stdout).toBe(2);
    expect(no.stdout).toMatch(/0 of 3 machines on the new release; now: demo-cp-a; waiting: demo-cp-b, demo-cp-c/);
    expect(stops(of)).toEqual([]);
    const yes = await of.atTerminal(["converge", "--limit", "1"], ["yes"]);
    expect(yes.stdout).toMatch(/\[-{20}\] 0 of 3[\s\S]*Only "yes" is accepted[\s\S]*\[#{7}-{13}\] 1 of 3[\s\S]*--limit/);
    expect(yes.code).toBe(2);
    expect(stops(of)).toEqual(["demo-cp-a"]);
  });

  it("goes on after the tool was killed half-way: terraform finished what it had begun", async () => {
    const of = await three();
    of.want(larger);
    const cut = of.run(["converge", "--yes", "--json"], (child) => void of.event("stop demo-cp-b").then(() => child.kill("SIGKILL")));
    expect((await cut).code).toBe(137);
    const ran = await of.run(["converge", "--yes", "--json"]);
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(stops(of)).toEqual(names);
    expect(mostDown(of)).toBe(1);
    await of.w.expectEmptyPlan();
  });

  it("goes on after tool and terraform were both killed half-way", async () => {
    const of = await three();
    of.want(larger);
    const pid = () => Number(readFileSync(filesOf(of.w.dir, of.env).pid, "utf8"));
    const cut = of.run(
      ["converge", "--yes", "--json"],
      (child) =>
        void of.event("stop demo-cp-b").then(() => {
          process.kill(-pid(), "SIGKILL");
          child.kill("SIGKILL");
        }),
    );
    expect((await cut).code).toBe(137);
    const ran = await of.run(["converge", "--yes", "--json"]);
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(mostDown(of)).toBe(1);
    expect(of.cloud.cluster.machines.voters.size).toBe(3);
    await of.w.expectEmptyPlan();
  });

  it("ends after the running apply at ctrl-C, and goes on when it is run again", async () => {
    const of = await three();
    of.want(larger);
    const cut = await of.run(["converge", "--yes"], (child) => void of.event("stop demo-cp-a").then(() => child.kill("SIGINT")));
    expect(cut.code, cut.stdout + cut.stderr).toBe(130);
    expect(cut.stdout).toMatch(/stopping when this apply has ended.*\[1\] apply {2}applied.*Interrupted \(1 apply/s);
    expect(stops(of)).toEqual(["demo-cp-a"]);
    expect(of.cloud.cluster.machines.events).toContain("register demo-cp-a");
    const ran = await of.run(["converge", "--yes"]);
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(stops(of)).toEqual(names);
    await of.w.expectEmptyPlan();
  });

  it("is interrupted in the middle of an apply by the second ctrl-C", async () => {
    const of = await three();
    of.want(larger);
    // its successor never comes: only an interrupt ends this apply soon
    of.cloud.broken.add("demo-cp-a");
    const cut = await of.run(["converge", "--yes"], (child) => {
      void of.event("stop demo-cp-a").then(() => {
        child.kill("SIGINT");
        setTimeout(() => child.kill("SIGINT"), 1_500);
      });
    });
    expect(cut.code, cut.stdout + cut.stderr).toBe(130);
    expect(stops(of)).toEqual(["demo-cp-a"]);
    of.cloud.broken.clear();
    Object.assign(of.cloud.cluster.machines.on("demo-cp-a") ?? {}, { broken: false });
    const ran = await of.run(["converge", "--yes"]);
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(mostDown(of)).toBe(1);
    await of.w.expectEmptyPlan();
  });
});

describe("a guard", () => {
  /** The loop in this process, without its half minute of patience. */
  async function run(of: Tool, rules: { readonly limit?: number } = {}) {
    const events: ConvergeEvent[] = [];
    const never = new AbortController().signal;
    const files = filesOf(of.w.dir, of.env);
    const runner = createRunner({
      program: "terraform",
      files,
      env: of.env,
      planArgs: [],
      note: () => undefined,
      signal: never,
      insist: never,
    });
    const code = await converge({
      runner,
      rules: { limit: 100, yes: true, allowDestroy: false, ...rules },
      tell: (event) => events.push(event),
      ask: async () => undefined,
      signal: never,
      pauseMs: 100,
      sleep: (ms) => new Promise((wake) => setTimeout(wake, ms)),
      now: Date.now,
    });
    const last = events.at(-1);
    return { code, events, reason: last?.event === "result" ? (last.reason ?? "").replace(/\s+/g, " ") : "" };
  }

  it("stops at the limit, and at a machine that is not Ready with the new release; goes on when it is", async () => {
    const of = await three();
    of.want(larger);
    const limited = await run(of, { limit: 1 });
    expect([limited.code, limited.reason]).toEqual([2, expect.stringContaining("--limit")]);
    expect(stops(of)).toEqual(["demo-cp-a"]);

    const a = of.cloud.cluster.machines.on("demo-cp-a");
    if (a) a.sick = true;
    const sick = await run(of);
    expect(sick.code).toBe(2);
    expect(sick.reason).toMatch(/1 machine waits|2 machines wait/);
    expect(sick.reason).toContain("demo-cp-a has the new release and is not Ready");
    expect(count(sick.events, "wait")).toBe(1);
    expect(stops(of)).toEqual(["demo-cp-a"]);

    if (a) a.sick = false;
    expect((await run(of)).code).toBe(0);
    expect(stops(of)).toEqual(names);
    await of.w.expectEmptyPlan();
  });

  it("stops with the gate's reason when a worker cannot be emptied, and destroys no disk unasked", async () => {
    const of = await three({ controlPlanes: 3, workers: 2, timeouts: { delete: "3s" } });
    of.cloud.cluster.workloads.deploy("web", 4);
    of.cloud.cluster.workloads.budget("web", "web", 4);
    of.want({ controlPlanes: 3, workers: 2, group: { instanceTypes: ["local.cpu2.mem4096"] }, timeouts: { delete: "3s" } });
    const refused = await run(of);
    expect(refused.code, refused.reason).toBe(2);
    expect(refused.reason).toMatch(/was not emptied.*is kept by a PodDisruptionBudget/);
    of.cloud.cluster.workloads.budget("web", "web", 1);
    const gone = await run(of);
    expect(gone.code, gone.reason).toBe(0);

    of.want({ controlPlanes: 1, workers: 2, group: { instanceTypes: ["local.cpu2.mem4096"] } });
    const asked = await run(of);
    expect(asked.code).toBe(2);
    expect(asked.reason).toMatch(/destroys honest_local_disk\..*--allow-destroy/);
    expect(of.cloud.cluster.machines.voters.size).toBe(3);
  });
});

it("leaves no plan behind, which would hold what the state holds", async () => {
  const of = await three();
  of.want(larger);
  await of.run(["converge", "--yes", "--limit", "1"]);
  expect(() => readFileSync(join(filesOf(of.w.dir, of.env).folder, "converge.tfplan"))).toThrow(/ENOENT/);
});
