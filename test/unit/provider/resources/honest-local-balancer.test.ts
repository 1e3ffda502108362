import { describe, expect, it } from "vitest";
import { isUnknown } from "../../../../provider/framework/value.js";
import { honestLocalBalancer as balancer } from "../../../../provider/resources/honest-local-balancer.js";
import { planOf, problems, stateOf } from "../../../support/local-resource.js";

const config = {
  cluster: "demo",
  name: "api",
  network_id: "n1",
  address: "10.98.0.10",
  image: "honest-paas/machine:1.36.3",
  port: 6443,
  backends: { "demo-cp-a": "10.98.0.11:6443" },
};
const state = stateOf(balancer, config, { id: "lb-1", published_port: 20_123, endpoint: "https://127.0.0.1:20123", running: true });

describe("validate", () => {
  it("takes a good one, also without servers", async () => {
    expect(await problems(balancer, config)).toEqual([]);
    expect(await problems(balancer, { ...config, backends: {} })).toEqual([]);
  });
  it.each([
    [{ port: 0 }, "Bad value of port"],
    [{ published_port: 70_000 }, "Bad value of published_port"],
    [{ published_address: "localhost" }, "Bad value of published_address"],
    [{ backends: { a: "10.98.0.11" } }, "Bad value of backends"],
    [{ backends: { a: "host:6443" } }, "Bad value of backends"],
    [{ backends: { "a b": "10.98.0.11:6443" } }, "Bad value of backends"],
    [{ backends: { a: "10.98.0.11:99999" } }, "Bad value of backends"],
  ])("fails when %j", async (change, title) => expect(await problems(balancer, { ...config, ...change })).toEqual([title]));
});

describe("plan", () => {
  it("knows the endpoint when the port is given, else after apply", async () => {
    expect((await planOf(balancer, { ...config, published_port: 20_500 }, null)).planned.endpoint).toBe("https://127.0.0.1:20500");
    const { planned } = await planOf(balancer, config, null);
    expect([isUnknown(planned.published_port), isUnknown(planned.endpoint)]).toEqual([true, true]);
  });

  it("keeps the chosen port, the endpoint and the id when servers or image change, in place", async () => {
    const change = { backends: { ...config.backends, "demo-cp-b": "10.98.0.12:6443" }, image: "honest-paas/machine:1.37.2" };
    const { planned, replace } = await planOf(balancer, { ...config, ...change }, state);
    expect([planned, replace]).toEqual([{ ...state, ...change }, []]);
  });

  it("moves to another port in place", async () => {
    const { planned, replace } = await planOf(balancer, { ...config, published_port: 20_500 }, state);
    expect([planned, replace]).toEqual([{ ...state, published_port: 20_500, endpoint: "https://127.0.0.1:20500" }, []]);
  });

  it("is empty when nothing changed, and starts one that stands still", async () => {
    expect((await planOf(balancer, config, state)).planned).toEqual(state);
    expect((await planOf(balancer, config, { ...state, running: false })).planned).toEqual(state);
  });

  it("speaks of loopback when it is published everywhere", async () => {
    const { planned } = await planOf(balancer, { ...config, published_port: 20_500, published_address: "0.0.0.0" }, null);
    expect(planned.endpoint).toBe("https://127.0.0.1:20500");
  });

  it.each([{ address: "10.98.0.9" }, { network_id: "n2" }])("replaces for %j", async (change) => {
    expect((await planOf(balancer, { ...config, ...change }, state)).replace).toEqual(Object.keys(change));
  });
});
