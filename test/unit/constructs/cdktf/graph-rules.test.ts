// The graph rules, over the synthesized JSON of each cloud: what a wrong edge would do is told beside each.
import { describe, expect, it } from "vitest";
import { type Graph, graphOf, type ResourceJson } from "../../../support/stack-graph.js";
import { type Cloud, large, synth } from "../../../support/synth.js";

/** Kind of a block or of one of the kit's own resources: "machine", "barrier". */
const kind = (address: string, resource: ResourceJson): string =>
  (resource.triggers as Record<string, string> | undefined)?.kind ?? address.split(".")[0]?.replace(/^honest_(local_)?/, "") ?? "";

const ofKind = (graph: Graph, wanted: string): readonly string[] =>
  [...graph.nodes].filter(([address, resource]) => kind(address, resource) === wanted).map(([address]) => address);
const isControlPlane = (address: string): boolean => /_cp_[a-e]_/.test(address);

describe.each<Cloud>(["local", "preview"])("the graph of a cluster on %s", (cloud) => {
  const graph = graphOf(large(cloud));
  const [barrier = ""] = ofKind(graph, "barrier");

  it("has references only to what is there", () => {
    for (const address of graph.nodes.keys())
      for (const other of graph.direct(address)) expect(graph.nodes.has(other), `${address} → ${other}`).toBe(true);
  });

  it("has no cycle", () => {
    for (const address of graph.nodes.keys()) expect(graph.all(address).has(address), address).toBe(false);
  });

  it("always has a barrier, and it depends on every other resource: its destroy is the first", () => {
    expect(ofKind(graph, "barrier")).toHaveLength(1);
    const others = [...graph.nodes.keys()].filter((address) => address !== barrier);
    expect([...graph.direct(barrier)].sort()).toEqual(others.sort());
    expect(ofKind(graphOf(synth(cloud)), "barrier")).toHaveLength(1);
  });

  it("lets nothing depend on the barrier", () => {
    for (const address of graph.nodes.keys()) expect(graph.direct(address).has(barrier), address).toBe(false);
  });

  it("has control-plane memberships depend on every block between here and the API: their destroy still needs it", () => {
    // The address of a control plane is on the way to that one only.
    const way = [...graph.nodes].filter(
      ([address, resource]) =>
        ["network", "subnet", "firewall", "address", "balancer"].includes(kind(address, resource)) && !isControlPlane(address),
    );
    const nodes = ofKind(graph, "node").filter(isControlPlane);
    expect(nodes).toHaveLength(3);
    for (const node of nodes) for (const [block] of way) expect(graph.all(node).has(block), `${node} → ${block}`).toBe(true);
  });

  it("lets nothing that is created before it is destroyed depend on the control plane, not even through others", () => {
    const early = [...graph.nodes].filter(([, resource]) => resource.lifecycle?.create_before_destroy).map(([address]) => address);
    expect(early.length).toBeGreaterThan(0);
    for (const address of early)
      for (const other of graph.all(address)) {
        const bad = kind(other, graph.nodes.get(other) ?? {}) === "balancer" || kind(other, graph.nodes.get(other) ?? {}) === "disk";
        expect(isControlPlane(other) || bad || other === barrier, `${address} → ${other}`).toBe(false);
      }
  });

  it("creates a worker's boot, machine and membership before their predecessors go, and a control plane's never", () => {
    for (const [address, resource] of graph.nodes) {
      const worker = /_group_/.test(address);
      const early = resource.lifecycle?.create_before_destroy === true;
      expect(early, address).toBe(worker);
    }
  });

  it("depends on one machine only in each machine's own membership", () => {
    for (const node of ofKind(graph, "node")) {
      const machines = [...graph.all(node)].filter((address) => kind(address, graph.nodes.get(address) ?? {}) === "machine");
      expect(machines, node).toHaveLength(1);
      const own = (address: string) => address.split(".")[1]?.replace(/_(machine|node)_[0-9A-F]{8}$/, "");
      expect(own(machines[0] ?? "")).toBe(own(node));
    }
  });

  it("gives no fixed address to a worker: its successor stands beside it", () => {
    for (const machine of ofKind(graph, "machine").filter((address) => !isControlPlane(address))) {
      const resource = graph.nodes.get(machine) ?? {};
      expect((resource.triggers as Record<string, unknown> | undefined)?.address ?? resource.address).toBeUndefined();
    }
  });

  it("uses neither count nor for_each: one resource with many instances destroys all memberships before one machine", () => {
    for (const [address, resource] of graph.nodes) {
      expect(resource.count, address).toBeUndefined();
      expect(resource.for_each, address).toBeUndefined();
    }
  });
});

describe("a local machine", () => {
  /** Arguments whose change replaces or restarts the machine, and that are not fixed by names. */
  const restarting = ["instance_type", "image", "root_disk_gib", "user_data_base64"];
  const fixed = ["cluster", "name", "zone", "address", "hostname", "network_id", "disk_ids", "lifecycle", "provider"];

  it("takes everything whose change restarts it from its own boot resource and from nowhere else", () => {
    const graph = graphOf(large("local"));
    for (const machine of ofKind(graph, "machine")) {
      const resource = graph.nodes.get(machine) ?? {};
      const boot = machine.replace("honest_local_machine", "honest_boot").replace(/_machine_[0-9A-F]{8}$/, "_boot_");
      for (const argument of restarting)
        expect(String(resource[argument]), `${machine}.${argument}`).toMatch(
          new RegExp(`^\\$\\{${boot.replaceAll(".", "\\.")}[0-9A-F]{8}\\.`),
        );
      const others = Object.keys(resource).filter((argument) => !restarting.includes(argument));
      expect(others.filter((argument) => !fixed.includes(argument))).toEqual([]);
    }
  });

  it("has one boot resource of its own", () => {
    const graph = graphOf(large("local"));
    const boots = ofKind(graph, "machine").flatMap((machine) => [...graph.direct(machine)].filter((a) => a.startsWith("honest_boot.")));
    expect(new Set(boots).size).toBe(ofKind(graph, "machine").length);
  });
});

describe("protection", () => {
  const protectedTypes = (json: ReturnType<typeof large>): readonly string[] =>
    [...graphOf(json).nodes]
      .filter(([, resource]) => resource.lifecycle?.prevent_destroy)
      .map(([address]) => address.split(".")[0] ?? "")
      .sort();

  it("makes the plan of a destroy fail on etcd disks, network, pki and barrier", () => {
    expect(protectedTypes(large("local"))).toEqual([
      "honest_barrier",
      "honest_local_disk",
      "honest_local_disk",
      "honest_local_disk",
      "honest_local_network",
      "honest_pki",
    ]);
  });

  it("is gone with deletion_protection = false", () => {
    expect(protectedTypes(large("local", { deletionProtection: false }))).toEqual([]);
  });

  it("holds in a preview too", () => {
    // The endpoint's address, three of control planes, three disks, network, pki and barrier.
    expect(protectedTypes(large("preview"))).toHaveLength(10);
  });
});

describe("the endpoint", () => {
  it("is a constant everywhere: trust and endpoint come from names and pki", () => {
    const json = large("local");
    for (const named of Object.values(json.resource ?? {}))
      for (const resource of Object.values(named)) {
        const access = resource.access as { endpoint: string } | undefined;
        if (access) expect(access.endpoint).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      }
  });
});
