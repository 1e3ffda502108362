// Ephemeral resources and data sources.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { DataSource, EphemeralResource } from "../../../provider/framework/resource.js";
import { toyWorkspaces } from "../../support/toy-workspace.js";

const start = toyWorkspaces();

describe("an ephemeral resource", () => {
  it("is opened, renewed while it is needed, closed, and never stored", async () => {
    const calls: string[] = [];
    const lease: EphemeralResource = {
      name: "toy_lease",
      schema: {
        version: 0,
        description: "Lease.",
        attributes: {
          who: { type: "string", default: "me", description: "Who." },
          token: { type: "string", computed: true, sensitive: true, description: "Token." },
        },
      },
      async open({ config }) {
        calls.push(`open ${config.who}`);
        return { result: { ...config, token: "t0ken-canary" }, private: { lease: "l1", round: 0 }, renewAt: new Date(Date.now() + 1000) };
      },
      async renew({ private: held }) {
        calls.push(`renew ${held.round}`);
        return { private: { ...held, round: Number(held.round) + 1 }, renewAt: new Date(Date.now() + 1000) };
      },
      async close({ private: held }) {
        calls.push(`close ${held.lease}`);
        return [];
      },
    };
    let got: unknown;
    const { w, write } = await start(
      {
        async create({ planned, config }) {
          got = config.pass;
          await sleep(2500);
          return { state: { ...planned, id: "t-1", serial: 1 } };
        },
        read: async ({ state }) => ({ state }),
      },
      { ephemeralResources: [lease] },
    );
    write('ephemeral "toy_lease" "l" {}\nresource "toy_thing" "a" {\n name = "n"\n pass = ephemeral.toy_lease.l.token\n}\n');
    await w.apply();
    expect(got).toBe("t0ken-canary");
    expect(calls).toContain("open me");
    expect(calls).toContain("renew 0");
    expect(calls).toContain("renew 1");
    expect(calls).toContain("close l1");
    expect(calls.filter((c) => c.startsWith("open"))).toHaveLength(calls.filter((c) => c.startsWith("close")).length);
    expect((await w.run(["state", "pull"])).stdout).not.toContain("t0ken-canary");
    await w.expectEmptyPlan();
  });
});

describe("a data source", () => {
  it("is read with its defaults, at apply when its configuration is not known before", async () => {
    const asked: unknown[] = [];
    const data: DataSource = {
      name: "toy_look",
      schema: {
        version: 0,
        description: "Look.",
        attributes: {
          at: { type: "string", required: true, description: "At what." },
          how: { type: "string", default: "closely", description: "How." },
          seen: { type: "string", computed: true, description: "What was seen." },
        },
      },
      async read({ config }) {
        asked.push(config.at);
        return { state: { ...config, seen: `${config.at} ${config.how}` } };
      },
    };
    const { w, write } = await start({}, { dataSources: [data] });
    write(
      'resource "toy_thing" "a" {\n name = "n"\n}\ndata "toy_look" "l" {\n at = toy_thing.a.id\n}\noutput "seen" { value = data.toy_look.l.seen }\n',
    );
    await w.plan();
    expect(asked).toEqual([]);
    await w.apply();
    expect((await w.run(["output", "-raw", "seen"])).stdout).toBe("t-1 closely");
    await w.expectEmptyPlan();
  });
});
