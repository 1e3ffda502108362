import { expect, it } from "vitest";
import { distressOf } from "../../../../../provider/cli/diagnosis/consoles.js";

const line =
  "honest: distress: api=does not answer since 2026-06-01T11:58:00Z (TimeoutError: timed out); etcd=active, 1 of 3 members answer; disk etcd=100%; disk /=40%; clock=2026-06-01T11:59:00Z";

it.each<[string, readonly string[], object | null]>([
  ["nothing said", ["Welcome", "honest: ready: ok"], null],
  ["in distress", ["honest: ready: ok", line], { etcd: "active, 1 of 3 members answer", "disk etcd": "100%", "disk /": "40%" }],
  ["behind the kernel's time", [`[  12.3] ${line}`], { "disk etcd": "100%" }],
  ["the newest counts", [line, line.replace("100%", "12%")], { "disk etcd": "12%" }],
  ["it is over", [line, "honest: distress: over; api=answers; clock=2026-06-01T12:00:00Z"], null],
  ["again after it was over", ["honest: distress: over; api=answers", line], { "disk etcd": "100%" }],
  ["booted since", [line, "honest: boot stage of demo-cp-a"], null],
  ["words without a value", ["honest: distress: api=x; torn; =y"], { api: "x" }],
])("%s", (_, lines, found) => {
  if (found === null) expect(distressOf(lines)).toBeNull();
  else expect(distressOf(lines)).toMatchObject(found);
});
