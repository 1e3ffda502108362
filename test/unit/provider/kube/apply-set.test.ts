import { beforeEach, expect, it } from "vitest";
import { applySet } from "../../../../provider/kube/apply-set.js";
import type { KubeClient } from "../../../../provider/kube/client.js";
import type { KubeObject } from "../../../../provider/kube/object.js";
import { connectedCluster } from "../../../support/connected-cluster.js";
import type { StandIn } from "../../../support/stand-in-cluster.js";

let cluster: StandIn;
let client: KubeClient;
beforeEach(async () => {
  const made = await connectedCluster();
  ({ cluster, client } = made);
  return made.close;
});

const account = (name: string): KubeObject => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "kube-system" } });
const names = () => cluster.store.list("api/v1/serviceaccounts").map((o) => o.metadata.name);
const inventory = () => (cluster.object("api/v1/configmaps", "set", "kube-system")?.data as { objects?: string } | undefined)?.objects;

it("deletes what the set had before and has no more, and leaves what is not its own", async () => {
  await client.apply(account("theirs"));
  await applySet(client, { inventory: "set", objects: [account("a"), account("b")] });
  const second = await applySet(client, { inventory: "set", objects: [account("b"), account("c")] });
  expect(second).toMatchObject({ ok: true, value: { applied: 2, pruned: [{ kind: "ServiceAccount", name: "a" }] } });
  expect(names().sort()).toEqual(["b", "c", "theirs"]);
  expect(inventory()).toBe("v1 ServiceAccount kube-system b\nv1 ServiceAccount kube-system c\n");
});

it("remembers every object of a run that was cut off before its first write", async () => {
  const bad: KubeObject = { apiVersion: "example.org/v9", kind: "Nothing", metadata: { name: "x" } };
  const cut = await applySet(client, { inventory: "set", objects: [account("a"), bad] });
  expect(cut).toMatchObject({ ok: false, failure: { message: expect.stringContaining("could not apply Nothing x") } });
  expect(inventory()).toContain("kube-system a");
  await applySet(client, { inventory: "set", objects: [] });
  expect(names()).toEqual([]);
});

it("changes nothing when it is applied again", async () => {
  await applySet(client, { inventory: "set", objects: [account("a")] });
  const before = inventory();
  expect(await applySet(client, { inventory: "set", objects: [account("a")] })).toMatchObject({ ok: true, value: { pruned: [] } });
  expect(inventory()).toBe(before);
});
