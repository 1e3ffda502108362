// honest-paas status as a program, on the state that a real terraform wrote.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { StatusReport } from "../../../provider/cli/status/report.js";
import { type Tool, tool } from "./fixture.js";

let t: Tool;
beforeAll(async () => {
  t = await tool({ controlPlanes: 3, workers: 1 });
});
afterAll(() => t.close());

const status = async () => {
  const ran = await t.run(["status", "--json"]);
  return { ...ran, report: JSON.parse(ran.stdout) as StatusReport };
};

it("is 0 and healthy, in words and as JSON", async () => {
  const { code, report, stderr } = await status();
  expect(code, stderr + JSON.stringify(report.problems)).toBe(0);
  expect(report.members.map((m) => [m.name, m.state])).toEqual([
    ["demo-cp-a", "answers"],
    ["demo-cp-b", "answers"],
    ["demo-cp-c", "answers"],
  ]);
  expect(report.nodes.map((n) => [n.role, n.ready, n.release === n.state_release, n.pool])).toEqual([
    ["control-plane", true, true, "cp"],
    ["control-plane", true, true, "cp"],
    ["control-plane", true, true, "cp"],
    ["worker", true, true, "w"],
  ]);
  expect(report.certificates.filter((c) => c.source === "state")).toHaveLength(4);
  expect(report.certificates.find((c) => c.source === "served")).toMatchObject({ trusted: true });
  const text = await t.run(["status"]);
  expect(text.code).toBe(0);
  expect(text.stdout).toMatch(/^demo {2}Kubernetes 1\.36\.3 .*healthy\n/);
  expect(text.stdout + JSON.stringify(report)).not.toMatch(/PRIVATE KEY/);
});

it("looks again until ctrl-C, a line a look, and ends with what it saw last", async () => {
  let lines = 0;
  const ran = await t.run(["status", "--json", "--watch"], (child) =>
    child.stdout?.on("data", (chunk: Buffer) => {
      lines += chunk.toString().split("\n").length - 1;
      if (lines === 2) child.kill("SIGINT");
    }),
  );
  expect(ran.code, ran.stderr).toBe(0);
  const looks = ran.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as StatusReport);
  expect(looks).toHaveLength(2);
  expect(Date.parse(looks[1]?.at ?? "") - Date.parse(looks[0]?.at ?? "")).toBeGreaterThanOrEqual(4_000);
});

it("is 2 with the cause when a machine died, and says what waits", async () => {
  t.cloud.cluster.stop(t.cloud.cluster.machines.on("demo-cp-b")?.id ?? "");
  await new Promise((wake) => setTimeout(wake, 1_500));
  const { code, report } = await status();
  expect(code).toBe(2);
  expect(report.problems.map((p) => p.text).join("\n")).toMatch(
    /etcd member demo-cp-b does not answer since .*its machine has not been heard of since/,
  );
  expect(report.problems.map((p) => p.text).join("\n")).toContain("2 of 3 etcd members answer");
});

it("is 1 when the API does not answer, and shows what the state knows", async () => {
  t.cloud.cluster.reachable = false;
  const { code, report } = await status();
  t.cloud.cluster.reachable = true;
  expect(code).toBe(1);
  expect(report).toMatchObject({ verdict: "unreadable", nodes: [] });
  expect(report.certificates).toHaveLength(4);
});

it("is 1 with the way out where there is no cluster", async () => {
  const ran = await t.run(["status", "--cluster", "other"]);
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringMatching(/has no cluster "other"\. It has: demo/)]);
});
