import { expect, it } from "vitest";
import { snapshotsReport } from "../../../../provider/kube/snapshots-report.js";
import { kubeNode } from "../../../support/kube-node.js";

const of = (text: string) => snapshotsReport(kubeNode("a", { annotations: { "honest-paas.dev/snapshots": text } }));

it("is what the agent writes, times in milliseconds", () => {
  const report = {
    schedule_seconds: 60,
    drill_seconds: 60,
    target: true,
    since: 5,
    last: { name: "20261130T120000Z", size: 4, revision: 7, keys: 5, at: 10 },
    held: [["20261130T120000Z", 4, 7, 5]],
    uploaded: { id: "20261130T120000Z-a", at: 12, taken: 10, target: "x" },
    drill: { at: 11, name: "20261130T120000Z", objects: 9, seconds: 1.5 },
    failed: { take: "no room" },
    problem: "take: no room",
    asked: { at: "t", name: null, problem: "no room" },
  };
  expect(of(JSON.stringify(report))).toEqual({
    scheduleSeconds: 60,
    target: true,
    since: 5_000,
    last: { name: "20261130T120000Z", size: 4, revision: 7, keys: 5, at: 10_000 },
    held: ["20261130T120000Z"],
    uploaded: { id: "20261130T120000Z-a", taken: 10_000 },
    drill: { at: 11_000, name: "20261130T120000Z", objects: 9, seconds: 1.5 },
    failed: { take: "no room" },
    problem: "take: no room",
    asked: { at: "t", name: null, problem: "no room" },
  });
});

const nothing = {
  scheduleSeconds: 0,
  target: false,
  since: null,
  last: null,
  held: [],
  uploaded: null,
  drill: null,
  failed: {},
  problem: null,
  asked: null,
};

it.each([
  ["no json", null],
  ["null", nothing],
  ["[]", nothing],
  ['{"last":7,"held":{"a":1},"uploaded":[],"drill":"x","failed":3,"asked":null,"since":"x"}', nothing],
  ['{"last":{"name":"x"},"held":[1,[],[""]],"failed":{"take":1}}', nothing],
])("of a node that writes %s", (text, wanted) => {
  expect(of(text)).toEqual(wanted);
});

it("is none of a node that writes nothing", () => {
  expect(snapshotsReport(kubeNode("a"))).toBeNull();
});
