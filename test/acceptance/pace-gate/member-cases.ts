// Who belongs to it: cases 11, 12, 13 and 15.
import { expect } from "vitest";
import type { Case } from "./case.js";
import { names, type Stage } from "./stage.js";

const gone = (s: Stage): void => {
  expect(s.machines.living.size).toBe(0);
  expect([...s.f.cloud.objects]).toEqual([]);
};
const workers = (s: Stage): readonly string[] =>
  s.f.cloud.cluster.store
    .list("api/v1/nodes")
    .map((node) => node.metadata.name)
    .filter((name) => name.startsWith("demo-w"));
const workerAddress = async (s: Stage, type: string): Promise<string> => {
  const found = (await s.f.w.resources()).find((one) => one.type === type && /_w_a_0_/.test(one.name));
  if (!found) throw new Error(`no ${type} of the worker in the state`);
  return found.address;
};

export const memberCases: readonly Case[] = [
  {
    id: "11a",
    title: "destroy with a dead API, one machine gone and -refresh=false: all at once, nothing left",
    wait: "short",
    alone: true,
    async run(s) {
      await s.born();
      await s.vanish("a");
      s.f.cloud.cluster.reachable = false;
      const begun = Date.now();
      await s.f.w.destroy(["-refresh=false"]);
      expect(Date.now() - begun).toBeLessThan(60_000);
      gone(s);
    },
  },
  {
    id: "11f",
    title: "a configuration that was emptied is a destroy too",
    wait: "short",
    alone: true,
    async run(s) {
      await s.born();
      s.f.w.write({ "cdk.tf.json": { terraform: { required_providers: { honest: { source: "honest-paas/honest" } } } } });
      await s.apply();
      gone(s);
    },
  },
  {
    id: "11d",
    title: "destroy -target of one membership drags the barrier along; the next -replace of three takes down one at a time all the same",
    wait: "long",
    alone: true,
    both: true,
    async run(s) {
      await s.born();
      await s.f.w.destroy([`-target=${await s.address("honest_node", "c")}`]);
      await s.apply();
      await s.empty();
      await s.apply(await s.replaceAll());
      await s.empty();
      expect(s.mostDown()).toBe(1);
      s.expectWhole();
      expect(s.f.cloud.cluster.object("api/v1/configmaps", "honest-paas", "kube-system")?.data).not.toHaveProperty("torn_down");
    },
  },
  {
    id: "12",
    title: "3 → 1 with a new release: c and b leave before a takes it; 1 → 3 with a new release: they join first",
    wait: "long",
    async run(s) {
      s.edit({ controlPlanes: 1 });
      expect((await s.plan()).text).toMatch(/nobody takes a new release now: demo-cp-b, demo-cp-c must leave etcd first/);
      await s.apply();
      expect([...s.machines.voters]).toEqual(["demo-cp-a"]);
      expect(s.stops()).not.toContain("demo-cp-a");
      await s.toTheEnd();
      expect(s.stops().at(-1)).toBe("demo-cp-a");

      s.clear();
      s.edit();
      expect((await s.plan()).text).toMatch(/demo-cp-a waits?: demo-cp-b, demo-cp-c must join etcd first|must join etcd first/);
      await s.apply();
      expect(s.stops()).toEqual([]);
      expect([...s.machines.voters].sort()).toEqual(names);
      await s.toTheEnd();
      s.expectWhole();
    },
  },
  {
    id: "12s",
    title: "healthy ones that leave while the one that stays is sick: refused; when its machine is gone, it comes back first",
    wait: "short",
    async run(s) {
      s.machine("a").sick = true;
      s.want({ controlPlanes: 1 });
      expect(await s.refused()).toMatch(/demo-cp-[bc] was not taken down.*demo-cp-a is not Ready/);
      expect(s.stops()).toEqual([]);
      s.machine("a").sick = false;
      await s.vanish("a");
      await s.bitByBit();
      expect([...s.machines.voters]).toEqual(["demo-cp-a"]);
      const at = (event: string): number => s.machines.events.findIndex((one) => one.startsWith(event));
      expect(at("register demo-cp-a")).toBeLessThan(at("stop"));
      s.clear();
      s.want();
      await s.toTheEnd();
      s.expectWhole();
    },
  },
  {
    id: "13a",
    title: "a worker: the new one first, then the old one is emptied; a new one that never comes leaves the old one; corrected",
    wait: "short",
    async run(s) {
      const [old = ""] = workers(s);
      s.f.cloud.broken.add("demo-w-a-0");
      s.want({ group: { instanceTypes: ["local.cpu2.mem4096"] } });
      const plan = await s.plan();
      expect(plan.changes[await workerAddress(s, "honest_local_machine")]).toBe("create+delete");
      await s.refused();
      expect(workers(s)).toContain(old);
      s.f.cloud.broken.clear();
      s.want({ group: { instanceTypes: ["local.cpu2.mem3072"] } });
      await s.toTheEnd();
      expect(workers(s)).toHaveLength(1);
      expect(workers(s)).not.toContain(old);
      expect(s.stops()).toEqual([]);
      s.want();
      await s.toTheEnd();
    },
  },
  {
    id: "13b",
    title: "no worker makes a control plane create-before-destroy: its replacement deletes first",
    wait: "long",
    async run(s) {
      s.edit({ group: { instanceTypes: ["local.cpu2.mem4096"] } });
      const plan = await s.plan();
      expect(plan.changes[await s.address("honest_local_machine", "a")]).toBe("delete+create");
      expect(plan.changes[await s.address("honest_node", "a")]).toBe("delete+create");
      await s.toTheEnd();
      s.expectWhole();
      s.want();
      await s.toTheEnd();
    },
  },
  {
    id: "13g",
    title: "a tainted membership of a worker: the same Node stays, with its pods",
    wait: "long",
    both: true,
    async run(s) {
      const [node = ""] = workers(s);
      s.f.cloud.cluster.workloads.pod("guest", node);
      await s.f.w.run(["taint", await workerAddress(s, "honest_node")]);
      await s.apply();
      await s.empty();
      expect(workers(s)).toEqual([node]);
      expect(s.f.cloud.cluster.workloads.podsOn(node)).toEqual(["guest"]);
      expect(s.machines.events).toEqual([]);
    },
  },
  {
    id: "13h",
    title: "a tainted machine of a worker, the release unchanged: its successor has another name, then it is emptied",
    wait: "long",
    async run(s) {
      const [old = ""] = workers(s);
      await s.f.w.run(["taint", await workerAddress(s, "honest_local_machine")]);
      await s.apply();
      await s.empty();
      expect(workers(s)).toHaveLength(1);
      expect(workers(s)).not.toContain(old);
      expect(s.machines.events.map((event) => event.split(" ")[0])).toEqual(["start", "register", "stop"]);
    },
  },
  {
    id: "15",
    title: "boot data is not imported; taken out of the state and made anew with a new spec, the gate keeps the order",
    wait: "long",
    async run(s) {
      const addresses = await s.addresses("honest_boot");
      await s.f.w.run(["state", "rm", ...addresses]);
      const said = await s.f.w.run(["import", "-no-color", "-input=false", addresses[0] ?? "", "demo-cp-a"], { expectFail: true });
      expect((said.stdout + said.stderr).replace(/[│\s]+/g, " ")).toMatch(/the bytes that a machine was made with cannot be read back/);
      s.edit();
      await s.apply();
      await s.empty();
      expect([...s.stops()].sort()).toEqual(names);
      s.expectWhole();
    },
  },
];
