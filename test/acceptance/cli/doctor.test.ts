// honest-paas doctor as a program, on the state that a real terraform wrote. The causes themselves: unit tests and
// test/e2e/doctor.long.test.ts.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Finding } from "../../../provider/cli/diagnosis/evidence.js";
import { type Tool, tool } from "./fixture.js";

let t: Tool;
beforeAll(async () => {
  t = await tool({ controlPlanes: 3, workers: 1 });
});
afterAll(() => t.close());

const doctor = async () => {
  const ran = await t.run(["doctor", "--json"]);
  return { ...ran, said: JSON.parse(ran.stdout || "{}") as { of: string; cluster: string; findings: readonly Finding[] } };
};

it("is 0 when nothing is found, in words and as JSON", async () => {
  const { code, said, stderr } = await doctor();
  expect(code, stderr + JSON.stringify(said)).toBe(0);
  expect(said).toMatchObject({ of: "cluster", cluster: "demo", findings: [] });
  const text = await t.run(["doctor"]);
  expect([text.code, text.stdout]).toEqual([0, expect.stringMatching(/^demo {2}https:.*\nnothing is found\n$/)]);
});

it("is 2 with the cause when a member died", async () => {
  const machine = t.cloud.cluster.machines.on("demo-cp-b")?.id ?? "";
  t.cloud.cluster.stop(machine);
  await new Promise((wake) => setTimeout(wake, 1_500));
  const { code, said } = await doctor();
  expect(code).toBe(2);
  expect(said.findings[0]).toMatchObject({ cause: "no-quorum", sureness: "likely", evidence: [expect.stringContaining("demo-cp-b")] });
});

it("is 2 when the API does not answer, and never silent about why", async () => {
  t.cloud.cluster.reachable = false;
  const { code, said } = await doctor();
  t.cloud.cluster.reachable = true;
  expect(code).toBe(2);
  expect(["endpoint", "no-quorum"]).toContain(said.findings[0]?.cause);
  expect(said.findings[0]?.fix.length).toBeGreaterThan(0);
});

it("is 1 with the way out where there is no cluster, and where it is asked for two things", async () => {
  const other = await t.run(["doctor", "--cluster", "other"]);
  expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/has no cluster "other"\. It has: demo/)]);
  const both = await t.run(["doctor", "--computer"]);
  expect([both.code, both.stderr]).toEqual([1, expect.stringMatching(/--computer looks at this computer and takes neither/)]);
});
