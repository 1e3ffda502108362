// Who may be taken down: cases 7, 8, 16 and 18.
import { expect } from "vitest";
import type { Json } from "../membership/fixture.js";
import type { Case } from "./case.js";
import { letters, names, type Stage, tagged, words } from "./stage.js";

/** What all machines depend on is replaced. */
const otherNetwork = (json: Json): void => {
  for (const network of Object.values(json.resource?.honest_local_network ?? {})) network.cidr = "10.99.0.0/24";
};
const taint = async (s: Stage, addresses: readonly string[]): Promise<void> => {
  for (const address of addresses) await s.f.w.run(["taint", address]);
};
const lost = async <T>(value: string, run: () => Promise<T>): Promise<T> => {
  process.env.HONEST_PAAS_LOST = value;
  try {
    return await run();
  } finally {
    delete process.env.HONEST_PAAS_LOST;
  }
};
const oneByOne = async (s: Stage): Promise<void> => {
  await s.empty();
  expect([...s.stops()].sort()).toEqual(names);
  s.expectWhole();
};

export const gateCases: readonly Case[] = [
  {
    id: "7a",
    title: "-replace of three machines in one apply: one after the other",
    wait: "long",
    both: true,
    async run(s) {
      await s.apply(await s.replaceAll());
      await oneByOne(s);
      expect(s.f.cloud.cluster.object("apis/coordination.k8s.io/v1/leases", "honest-paas-roll", "kube-system")?.spec).toEqual({});
    },
  },
  {
    id: "7b",
    title: "three tainted machines: one after the other",
    wait: "long",
    async run(s) {
      await taint(s, await s.addresses("honest_local_machine"));
      await s.apply();
      await oneByOne(s);
    },
  },
  {
    id: "7t",
    title: "three tainted memberships: registered anew, nothing goes down",
    wait: "long",
    both: true,
    async run(s) {
      await taint(s, await s.addresses("honest_node"));
      await s.apply();
      await s.empty();
      expect(s.machines.events).toEqual([]);
      s.expectWhole();
    },
  },
  {
    id: "7c",
    title: "two machines gone, and with them the API: one apply makes both again",
    wait: "long",
    both: true,
    async run(s) {
      const c = s.machine("c").id;
      await s.vanish("a", "b");
      expect((await s.plan()).text).toMatch(/could not be read/);
      await s.apply();
      await s.empty();
      expect([...s.events("start")].sort()).toEqual(["demo-cp-a", "demo-cp-b"]);
      expect(s.machine("c").id).toBe(c);
      expect([...s.machines.voters].sort()).toEqual(names);
    },
  },
  {
    id: "7d",
    title: "all three machines gone: one apply makes them again, with their disks",
    wait: "long",
    async run(s) {
      await s.vanish("a", "b", "c");
      await s.apply();
      await s.empty();
      expect([...s.events("start")].sort()).toEqual(names);
      expect(s.events("leave")).toEqual([]);
    },
  },
  {
    id: "7e",
    title: "one machine gone and a new release: the one that is gone takes it first, the others follow",
    wait: "long",
    async run(s) {
      await s.vanish("b");
      s.edit();
      const plan = await s.plan();
      expect(plan.text).toMatch(/demo-cp-b takes its new release now; demo-cp-a, demo-cp-c wait/);
      await s.apply();
      expect(s.stops()).toEqual([]);
      expect(s.events("start")).toEqual(["demo-cp-b"]);
      await s.toTheEnd();
      expect(s.stops()).toEqual(["demo-cp-a", "demo-cp-c"]);
      s.expectWhole();
    },
  },
  {
    id: "8a",
    title: "a new release and a changed tag on everything that is shared: goes through",
    wait: "long",
    async run(s) {
      s.edit({ edit: tagged("one") });
      await s.apply();
      expect(s.stops()).toEqual(["demo-cp-a"]);
      expect((await s.f.w.resources()).find((one) => one.type === "honest_local_network")?.values.tags).toEqual({ owner: "one" });
      await s.toTheEnd();
      expect(s.stops()).toEqual(names);
      s.expectWhole();
      s.want();
      await s.apply();
    },
  },
  {
    id: "8b",
    title: "-replace of three and a changed tag: one goes, two are refused; the next apply ends it",
    wait: "short",
    both: true,
    async run(s) {
      const replaced = await s.replaceAll();
      s.want({ edit: tagged("two") });
      expect((await s.refused(replaced)).match(/was not taken down/g)).toHaveLength(2);
      expect(s.stops()).toHaveLength(1);
      await s.apply();
      await s.empty();
      expect(s.stops()).toHaveLength(1);
      s.expectWhole();
      s.want();
      await s.apply();
    },
  },
  {
    id: "8c",
    title: "roll in one apply and a changed tag: refused, and heals with the next applies",
    wait: "short",
    async run(s) {
      s.want({ roll: "in_one_apply" });
      await s.apply();
      s.edit({ roll: "in_one_apply", edit: tagged("three") });
      expect((await s.refused()).match(/was not taken down/g)).toHaveLength(2);
      await s.toTheEnd();
      s.expectWhole();
      expect([...s.stops()].sort()).toEqual(names);
      s.want();
      await s.apply();
    },
  },
  {
    id: "8d",
    title: "three tainted machines and a changed tag: refused with the way out; the tag alone first, then all roll",
    wait: "short",
    async run(s) {
      await taint(s, await s.addresses("honest_local_machine"));
      s.want({ edit: tagged("four") });
      const said = await s.refused();
      expect(said).toMatch(/apply that alone first: terraform apply -target=ADDRESS/);
      expect(s.stops()).toHaveLength(1);
      const shared = (await s.f.w.resources())
        .filter((one) => /honest_local_(network|balancer|disk)/.test(one.type))
        .map((one) => `-target=${one.address}`);
      await s.apply(shared);
      await s.bitByBit();
      s.expectWhole();
      s.want();
      await s.apply();
    },
  },
  {
    id: "8g",
    title: "what they share is replaced: refused with one down; taken back, it is mended",
    wait: "short",
    async run(s) {
      s.want({ edit: otherNetwork });
      expect((await s.refused()).match(/was not taken down/g)).toHaveLength(2);
      expect(s.mostDown()).toBe(1);
      s.want();
      await s.apply();
      await s.empty();
      s.expectWhole();
    },
  },
  ...[
    { id: "16a", when: "out of service", event: "retire demo-cp-a" },
    { id: "16b", when: "destroyed", event: "stop demo-cp-a" },
    { id: "16d", when: "made", event: "start demo-cp-a" },
  ].map(
    ({ id, when, event }): Case => ({
      id,
      title: `terraform killed when the first machine was ${when}: the next applies end it`,
      wait: "long",
      both: id === "16b",
      async run(s) {
        s.edit();
        await s.killed(event);
        await s.toTheEnd();
        expect(s.stops()).toEqual(names);
        s.expectWhole();
      },
    }),
  ),
  {
    id: "16c",
    title: "terraform killed while it writes the first machine's boot data: the next applies end it",
    wait: "long",
    async run(s) {
      s.edit();
      await s.killedInBootUpdate("a");
      await s.toTheEnd();
      expect(s.stops()).toEqual(names);
      s.expectWhole();
    },
  },
  {
    id: "16e",
    title: "killed while a machine was emptied, then taken back: it is back in service, and nobody holds the lease",
    wait: "long",
    async run(s) {
      await s.killed("retire demo-cp-b", "SIGKILL", [`-replace=${await s.address("honest_local_machine", "b")}`]);
      expect(s.machine("b").retired).not.toBeNull();
      await s.apply();
      await s.empty();
      expect(s.machines.events).toEqual(["retire demo-cp-b", "resume demo-cp-b"]);
      expect(s.f.cloud.cluster.object("apis/coordination.k8s.io/v1/leases", "honest-paas-roll", "kube-system")?.spec).toEqual({});
      s.expectWhole();
    },
  },
  {
    id: "16f",
    title: "ctrl-C at the gate: refused at once, the next apply ends it",
    wait: "long",
    async run(s) {
      s.machine("c").sick = true;
      const begun = Date.now();
      const replaced = [`-replace=${await s.address("honest_local_machine", "a")}`];
      await s.cut(replaced, "SIGINT", (kill) => {
        const timer = setTimeout(kill, 3_000);
        return () => clearTimeout(timer);
      });
      expect(Date.now() - begun).toBeLessThan(20_000);
      expect(s.stops()).toEqual([]);
      s.machine("c").sick = false;
      await s.apply(replaced);
      await s.empty();
      expect(s.stops()).toEqual(["demo-cp-a"]);
      s.expectWhole();
    },
  },
  {
    id: "18",
    title: "the first new machine never comes: kept as tainted, its gate stays shut for the others; corrected, all follow",
    wait: "short",
    both: true,
    async run(s) {
      s.f.cloud.broken.add("demo-cp-a");
      s.edit();
      expect(await s.refused()).toMatch(/demo-cp-a has not joined cluster demo/);
      expect((await s.resources("honest_node")).filter((one) => one.tainted).map((one) => one.values.node_name)).toEqual(["demo-cp-a"]);
      s.f.cloud.broken.clear();

      // it comes late after all, and another has become sick: it may not go down beside that one
      Object.assign(s.machine("a"), { broken: false });
      s.machine("b").sick = true;
      await new Promise((wake) => setTimeout(wake, 300));
      expect(await s.refused([`-replace=${await s.address("honest_local_machine", "a")}`])).toMatch(
        /demo-cp-a was not taken down.*demo-cp-b is not Ready/,
      );
      s.machine("b").sick = false;
      s.edit();
      await s.toTheEnd();
      s.expectWhole();
    },
  },
  {
    id: "18r",
    title: "the first new machine never comes, and the change is taken back: one apply mends it, the others never moved",
    wait: "short",
    async run(s) {
      const others = s.ids().slice(1);
      s.f.cloud.broken.add("demo-cp-a");
      s.edit();
      await s.refused();
      s.f.cloud.broken.clear();
      s.revert();
      await s.apply();
      await s.empty();
      expect(s.ids().slice(1)).toEqual(others);
      s.expectWhole();
    },
  },
  {
    id: "G9",
    title: "nobody answers and the machines are there: refused; given up by name for one run, they are made again",
    wait: "short",
    async run(s) {
      s.f.cloud.cluster.reachable = false;
      const replaced = await s.replaceAll();
      const said = await s.refused(replaced);
      expect(said).toMatch(/an outage and a broken network look alike from here/);
      expect(said).toMatch(/HONEST_PAAS_LOST=demo-cp-a/);
      expect(s.stops()).toEqual([]);
      // nobody answers until the old machines are gone, however long a busy computer needs for the plan; their successors join
      const watching = setInterval(() => {
        if (s.stops().length === names.length) s.f.cloud.cluster.reachable = true;
      }, 20);
      const run = await lost(names.join(), () => s.f.w.apply(replaced)).finally(() => clearInterval(watching));
      expect(words(run)).toMatch(/is still known to the cluster/);
      s.f.cloud.cluster.reachable = true;
      await s.toTheEnd();
      expect(letters.map((letter) => s.machine(letter).joined)).toEqual([true, true, true]);
    },
  },
];
