import { beforeEach, expect, it } from "vitest";
import type { KubeClient } from "../../../../provider/kube/client.js";
import { freeLease, markDrained, readLease, takeLease } from "../../../../provider/kube/lease.js";
import { connectedCluster } from "../../../support/connected-cluster.js";
import type { StandIn } from "../../../support/stand-in-cluster.js";

let cluster: StandIn;
let client: KubeClient;
beforeEach(async () => {
  const made = await connectedCluster();
  ({ cluster, client } = made);
  return made.close;
});

it("has one holder, is re-entrant, and keeps its age", async () => {
  expect(await takeLease(client, "a")).toEqual({ ok: true, value: true });
  const first = await readLease(client);
  expect(await takeLease(client, "b")).toEqual({ ok: true, value: false });
  expect(await takeLease(client, "a")).toEqual({ ok: true, value: true });
  expect(await readLease(client)).toEqual(first);
});

it("is freed by its holder alone, and can be taken again", async () => {
  await takeLease(client, "a");
  await markDrained(client);
  expect(await readLease(client)).toMatchObject({ value: { holder: "a", drained: true } });
  expect(await freeLease(client, "b")).toEqual({ ok: true, value: false });
  expect(await freeLease(client, "a")).toEqual({ ok: true, value: true });
  expect(await readLease(client)).toEqual({ ok: true, value: null });
  expect(await takeLease(client, "b")).toEqual({ ok: true, value: true });
  expect(await readLease(client)).toMatchObject({ value: { holder: "b", drained: false } });
});

it("is taken over from a holder that is named as gone, and starts anew", async () => {
  await takeLease(client, "gone");
  await markDrained(client);
  expect(await takeLease(client, "b", { over: "somebody" })).toEqual({ ok: true, value: false });
  expect(await takeLease(client, "b", { over: undefined })).toEqual({ ok: true, value: false });
  expect(await takeLease(client, "b", { over: "gone" })).toEqual({ ok: true, value: true });
  expect(await readLease(client)).toMatchObject({ value: { holder: "b", drained: false } });
});

it("goes to one of several who take it over at once", async () => {
  await takeLease(client, "gone");
  const answers = await Promise.all(["a", "b", "c"].map((name) => takeLease(client, name, { over: "gone" })));
  expect(answers.filter((a) => a.ok && a.value)).toHaveLength(1);
});

it("goes to one of several who ask at once", async () => {
  const answers = await Promise.all(["a", "b", "c", "d"].map((name) => takeLease(client, name)));
  expect(answers.filter((a) => a.ok && a.value)).toHaveLength(1);
});

it("is not free when nobody answers", async () => {
  cluster.reachable = false;
  expect(await takeLease(client, "a")).toMatchObject({ ok: false, failure: { kind: "unreachable" } });
});
