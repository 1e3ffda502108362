// The graph rules of control planes, over what each mapping makes: what a wrong edge would do is told beside each.
import { describe, expect, it } from "vitest";
import { refsIn } from "../../../../constructs/iaas/resource.js";
import { clouds, clusterOn } from "../../../support/cloud-specs.js";

describe.each(clouds)("the graph of a cluster on %s", (cloud) => {
  const { resources, blueprint } = clusterOn(cloud, cloud === "local" ? {} : { public: true });
  const direct = new Map(
    resources.map(({ name, args, dependsOn, lifecycle }) => [
      name,
      new Set([...refsIn(args), ...(dependsOn ?? []), ...(lifecycle?.replaceTriggeredBy ?? []).map(({ resource }) => resource)]),
    ]),
  );
  const all = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const next of direct.get(name) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      all(next, seen);
    }
    return seen;
  };
  const inControlPlane = (name: string): boolean => name.startsWith("cp/");

  it("has no cycle", () => {
    for (const name of direct.keys()) expect(all(name).has(name), name).toBe(false);
  });

  it("has a barrier that depends on every other resource, and on which nothing depends: its destroy is the first", () => {
    expect([...(direct.get("barrier") ?? [])].sort()).toEqual([...direct.keys()].filter((name) => name !== "barrier").sort());
    for (const name of direct.keys()) expect(direct.get(name)?.has("barrier"), name).toBe(false);
  });

  it("has control-plane memberships depend on every block between here and the API: their destroy still needs it", () => {
    const way = blueprint.blocks
      .filter(({ kind, id }) => ["network", "subnet", "firewall", "balancer"].includes(kind) || id.startsWith("endpoint/"))
      .flatMap(({ id }) => [...direct.keys()].filter((name) => name === id || (name.startsWith(`${id}-`) && !inControlPlane(name))));
    for (const { id } of blueprint.controlPlanes)
      for (const block of way) expect(all(`${id}/node`).has(block), `${id}/node → ${block}`).toBe(true);
  });

  it("has every membership depend on all of its own machine, attachments too: a node leaves before its disk does", () => {
    const members = [...blueprint.controlPlanes, ...blueprint.groups.flatMap(({ workers }) => workers)];
    for (const { id, machine } of members)
      for (const name of [...direct.keys()].filter((other) => other === machine || other.startsWith(`${machine}-`)))
        expect(all(`${id}/node`).has(name), `${id}/node → ${name}`).toBe(true);
  });

  it("lets no control plane depend on the machine of another: one is replaced at a time", () => {
    for (const { id } of blueprint.controlPlanes)
      for (const name of [...direct.keys()].filter((other) => other.startsWith(`${id}/`)))
        for (const other of all(name)) expect(!inControlPlane(other) || other.startsWith(`${id}/`), `${name} → ${other}`).toBe(true);
  });

  it("lets nothing that is created before it is destroyed depend on the control plane, not even through others", () => {
    const early = resources.filter(({ lifecycle }) => lifecycle?.createBeforeDestroy).map(({ name }) => name);
    expect(early.length).toBeGreaterThan(0);
    for (const name of early)
      for (const other of all(name)) expect(inControlPlane(other) || other === "barrier", `${name} → ${other}`).toBe(false);
  });

  it("makes the balancer of fixed addresses: it depends on no machine, nor does the network", () => {
    const before = [...direct.keys()].filter((name) => /^(endpoint|network|subnet|firewall|shared)(\/|-|$)/.test(name));
    const machines = blueprint.blocks.filter(({ kind }) => kind === "machine").map(({ id }) => id);
    for (const name of before) for (const machine of machines) expect(all(name).has(machine), `${name} → ${machine}`).toBe(false);
  });

  it("has trust know the endpoint by an address: pki depends on no machine", () => {
    for (const other of all("pki")) expect(inControlPlane(other) || other.startsWith("group/"), other).toBe(false);
  });
});
