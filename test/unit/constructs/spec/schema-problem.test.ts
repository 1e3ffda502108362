import { describe, expect, it } from "vitest";
import { parse } from "../../../../constructs/spec/parse.js";
import { wordProblem } from "../../../../constructs/spec/problem.js";
import { nearest, pathOf } from "../../../../constructs/spec/schema-problem.js";

const first = (over: object): string => {
  const [problem] = parse({ name: "demo", version: "1.36.3", iaas: { local: {} }, ...over }).problems ?? [];
  return problem ? wordProblem(problem) : "no problem";
};

describe("what a user reads", () => {
  it.each([
    [{ control_plane: { replicas: 2 } }, "control_plane.replicas: is not one of the allowed values (got 2; allowed: 1, 3, 5)"],
    [{ control_plane: { replica: 3 } }, "control_plane.replica: no such field (allowed: replicas, instance_type,"],
    [{ deletion_protection: "no" }, 'deletion_protection: must be true or false (got "no")'],
    [
      { access: { proxy_url: "x" } },
      "access.proxy_url: not supported by this version: reaching the API through a proxy (allowed: endpoint,",
    ],
    [{ backup: { schedule: "6 hours" } }, 'backup.schedule: is not a duration (got "6 hours"'],
    [{ control_plane: { etcd_volume: { size_gib: 0 } } }, "control_plane.etcd_volume.size_gib: is out of range (got 0; allowed: >= 1)"],
    [
      { certificates: { lifetime: "1y" } },
      'certificates.lifetime: is not a duration (got "1y"; allowed: hours, minutes and seconds in this order, such as "8760h", "90m" or "1h30m")',
    ],
    [{ template_epoch: 2 }, "template_epoch: is out of range (got 2; allowed: <= 1)"],
  ])("%j", (over, wanted) => {
    expect(first(over)).toContain(wanted);
  });

  it("names the field that was meant", () => {
    expect(first({ control_plane: { replica: 3 } })).toMatch(/Fix: write replicas$/);
  });
});

describe("nearest", () => {
  it.each([
    ["replica", "replicas"],
    ["instancetype", "instance_type"],
    ["instanceType", "instance_type"],
    ["colour", undefined],
  ])("%s", (name, wanted) => {
    expect(nearest(name, ["replicas", "instance_type", "zones"])).toBe(wanted);
  });
});

it("reads ajv's pointers: numbers are places only in a list", () => {
  expect(pathOf("/node_groups/5/taint/0/key")).toEqual(["node_groups", "5", "taint", 0, "key"]);
  expect(pathOf("/node_groups/a/labels/x~1y")).toEqual(["node_groups", "a", "labels", "x/y"]);
});
