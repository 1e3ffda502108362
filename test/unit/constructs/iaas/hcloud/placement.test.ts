import { describe, expect, it } from "vitest";
import { serversPerGroup } from "../../../../../constructs/iaas/hcloud/placement.js";
import { isRef } from "../../../../../constructs/iaas/resource.js";
import { hcloudResources } from "../../../../support/hcloud.js";

const groupsOf = (desired_size: number, more: object = {}) => {
  const all = hcloudResources({ groups: { web: { scaling_config: { desired_size, max_size: 90 }, zones: ["fsn1", "nbg1"] } }, ...more });
  const servers = [...all.values()].filter(({ type }) => type === "hcloud_server");
  const group = (server: (typeof servers)[number]): string => {
    const id = server.args.placement_group_id ?? null;
    if (!isRef(id)) throw new Error(`${server.name} is in no group`);
    expect(all.get(id.resource)?.args).toMatchObject({ type: "spread" });
    return id.resource;
  };
  return { all, of: new Map(servers.map((server) => [server.name, group(server)])) };
};

describe("placement groups", () => {
  it("have room for the successor of every server in them", () => {
    const { of } = groupsOf(23);
    const counts = new Map<string, number>();
    for (const group of of.values()) counts.set(group, (counts.get(group) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBe(serversPerGroup);
    expect(serversPerGroup * 2).toBeLessThanOrEqual(10);
  });

  it("are one for the control planes of a location and apart from workers'", () => {
    const { of } = groupsOf(1);
    expect(["a", "b", "c"].map((letter) => of.get(`cp/${letter}/machine`))).toEqual([
      "shared/placement/control-plane/fsn1",
      "shared/placement/control-plane/nbg1",
      "shared/placement/control-plane/hel1",
    ]);
  });

  it("never change for a server that lives: a running one cannot be moved", () => {
    const few = groupsOf(5).of;
    for (const size of [1, 4, 6, 30]) for (const [server, group] of groupsOf(size).of) expect(few.get(server) ?? group).toBe(group);
  });

  it("have names of their own within what the cloud takes", () => {
    const group = "a-group-of-long-name";
    const all = hcloudResources({ more: { name: `p${"x".repeat(26)}y` }, groups: { [group]: {}, web: {} } });
    const names = [...all.values()].filter(({ type }) => type === "hcloud_placement_group").map(({ args }) => String(args.name));
    expect(names).toHaveLength(5);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]{1,63}$/);
  });
});
