import { expect, it } from "vitest";
import { firewall } from "../../../../constructs/blueprint/firewall.js";
import { specOf } from "../../../support/blueprint.js";

it("says why each port is open", () => {
  for (const row of firewall(specOf(), "network")) expect(row.reason.length, row.id).toBeGreaterThan(15);
});

it("opens etcd and kubelets to control planes only", () => {
  const from = (name: string) => firewall(specOf(), "network").find((row) => row.id === `firewall/${name}`)?.from;
  expect([from("etcd"), from("birth"), from("kubelet")]).toEqual(["control-plane", "control-plane", "control-plane"]);
});
