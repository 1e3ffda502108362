import { describe, expect, it } from "vitest";
import { workerNodeName } from "../../../../constructs/blueprint/machine-spec.js";
import { controlPlaneId, controlPlaneName, endpointName, groupId, workerId, workerName } from "../../../../constructs/blueprint/names.js";

describe("names", () => {
  it.each([
    [endpointName("demo"), "api.demo.honest.internal"],
    [controlPlaneName("demo", "b"), "demo-cp-b"],
    [controlPlaneId("b"), "cp/b"],
    [workerName("demo", "web", "eu-1a", 3), "demo-web-eu-1a-3"],
    [groupId("network"), "group/network"],
    [workerId("web", "eu-1a", 3), "group/web/eu-1a/3"],
  ])("%s", (name, wanted) => {
    expect(name).toBe(wanted);
  });

  it("tells a worker's machine from its successor", () => {
    const name = workerName("demo", "web", "a", 0);
    expect(workerNodeName(name, "i-000000000001")).not.toBe(workerNodeName(name, "i-000000000002"));
    expect(workerNodeName(name, "i-000000000001")).toMatch(/^demo-web-a-0-[0-9a-f]{5}$/);
  });
});
