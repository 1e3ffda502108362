import { describe, expect, it } from "vitest";
import { isUnknown } from "../../../../provider/framework/value.js";
import { honestLocalNetwork as network } from "../../../../provider/resources/honest-local-network.js";
import { contextOf, planOf, problems, stateOf } from "../../../support/local-resource.js";
import { openWorld } from "../../../support/open-world.js";

// a silent engine is an address where nobody listens
openWorld("sockets");

const config = { cluster: "demo", name: "net", cidr: "10.98.0.0/24" };
const state = stateOf(network, config, { id: "n1", gateway: "10.98.0.1" });

describe("validate", () => {
  it("takes a good one", async () => expect(await problems(network, { ...config, mtu: 1400 })).toEqual([]));
  it.each([
    [{ cluster: "Demo" }, "Bad value of cluster"],
    [{ name: "a.b" }, "Bad value of name"],
    [{ cidr: "10.98.0.1/24" }, "Bad value of cidr"],
    [{ cidr: "10.98.0.0/30" }, "Bad value of cidr"],
    [{ mtu: 100 }, "Bad value of mtu"],
  ])("fails when %j", async (change, title) => expect(await problems(network, { ...config, ...change })).toEqual([title]));
});

describe("plan", () => {
  it("knows the gateway before anything is made, and is internal", async () => {
    const { planned } = await planOf(network, config, null);
    expect(planned).toMatchObject({ gateway: "10.98.0.1", internal: true });
    expect(isUnknown(planned.id)).toBe(true);
  });
  it("is empty when nothing changed", async () => expect((await planOf(network, config, state)).planned).toEqual(state));
  it.each([{ cidr: "10.97.0.0/24" }, { internal: false }, { mtu: 1400 }, { name: "other" }])("replaces for %j", async (change) => {
    expect((await planOf(network, { ...config, ...change }, state)).replace).toEqual(Object.keys(change));
  });
});

it("keeps the state with a warning when the engine is silent; a change fails", async () => {
  const context = contextOf("unix:///nowhere/docker.sock");
  const read = await network.read({ state, private: {} }, context);
  expect(read).toMatchObject({ state, diagnostics: [{ severity: "warning", summary: "The local machines could not be read" }] });
  const created = await network.create({ prior: null, planned: state, config: state, private: {} }, context);
  expect(created).toMatchObject({ state: null, diagnostics: [{ severity: "error", summary: "No Docker engine answers" }] });
  const deleted = await network.delete({ prior: state, private: {} }, context);
  expect(deleted).toMatchObject({ state, diagnostics: [{ severity: "error" }] });
});

it("fails when the engine's address is none, with the forms that are", async () => {
  const { diagnostics } = await network.create({ prior: null, planned: state, config: state, private: {} }, contextOf("docker"));
  expect(diagnostics?.[0]?.detail).toMatch(/unix:\/\/\/var\/run\/docker\.sock/);
});
