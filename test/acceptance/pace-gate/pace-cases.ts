// Whose turn it is: cases 1 to 6, 9, 10, 14 and 17.
import { expect } from "vitest";
import { bootSources } from "../../../provider/boot/gen/cloud-init-sources.js";
import type { Json } from "../membership/fixture.js";
import type { Case } from "./case.js";
import { names, type Stage } from "./stage.js";

/** The flag of every control plane comes from a resource that is replaced in each round. */
const unknownUntilApply =
  (round: string) =>
  (json: Json): void => {
    const boots = Object.values(json.resource?.honest_boot ?? {}) as { spec: { component_flags: Record<string, string> } }[];
    const value = boots.map((boot) => boot.spec.component_flags["kubelet.max-pods"]).find((flag) => flag !== undefined) ?? "";
    for (const { spec } of boots)
      if (spec.component_flags["kubelet.max-pods"]) spec.component_flags["kubelet.max-pods"] = "${terraform_data.pods.output}";
    Object.assign(json.resource ?? {}, { terraform_data: { pods: { input: value, triggers_replace: round } } });
  };

const rolled = async (s: Stage, from = 1): Promise<void> => {
  for (let n = from; n <= 3; n += 1) {
    await s.apply();
    expect(s.stops()).toEqual(names.slice(0, n));
  }
  await s.empty();
  s.expectWhole();
};

export const paceCases: readonly Case[] = [
  {
    id: "1",
    title: "three are made; planned again: nothing",
    wait: "long",
    both: true,
    async run(s) {
      await s.empty();
      s.expectWhole();
      expect(await s.pending()).toEqual([null, null, null]);
    },
  },
  {
    id: "2",
    title: "a new release takes three applies, a, b, c; each plan names who goes, who waits and why",
    wait: "long",
    both: true,
    async run(s) {
      const before = await s.releases();
      s.edit();
      const plan = await s.plan();
      expect(plan.text).toMatch(/demo-cp-a takes its new release now; demo-cp-b, demo-cp-c wait for their turn/);
      // the release on boot and membership, since user-data is only "(sensitive value)"
      expect(plan.text.match(new RegExp(`release = "${before[0]}" -> "r[0-9a-f]{12}"`, "g"))).toHaveLength(2);
      expect(plan.text).toMatch(/\+ pending = "release r[0-9a-f]{12} waits for its turn"/);
      expect(plan.text).toMatch(/Plan: 2 to add, 3 to change, 2 to destroy/);
      await s.apply();
      expect(s.stops()).toEqual(["demo-cp-a"]);
      expect(await s.pending()).toEqual([null, expect.stringMatching(/waits/), expect.stringMatching(/waits/)]);
      const next = await s.plan();
      expect(next.text).toMatch(/demo-cp-b takes its new release now; demo-cp-c waits for its turn/);
      await rolled(s, 2);
      expect(await s.releases()).not.toContain(before[0]);
    },
  },
  {
    id: "3",
    title: "a saved plan, then c turns sick: refused, nothing touched; c goes first then, also from a plan saved while it was sick",
    wait: "short",
    async run(s) {
      s.edit();
      const before = { ids: s.ids(), releases: await s.releases() };
      await s.f.w.run(["plan", "-no-color", "-input=false", "-out=saved"]);
      s.machine("c").sick = true;
      expect(await s.refused(["saved"])).toMatch(/demo-cp-a was not taken down.*demo-cp-c is not Ready.*Nothing of demo-cp-a was changed/);
      expect({ ids: s.ids(), releases: await s.releases() }).toEqual(before);
      expect(await s.pending()).toEqual([null, expect.stringMatching(/waits/), expect.stringMatching(/waits/)]);

      await s.f.w.run(["plan", "-no-color", "-input=false", "-out=saved"]);
      s.machine("c").sick = false;
      await s.apply(["saved"]);
      expect(s.stops()).toEqual(["demo-cp-c"]);
      expect((await s.plan()).text).toMatch(/demo-cp-a takes its new release now; demo-cp-b waits for its turn/);
      await s.toTheEnd();
      expect(s.stops()).toEqual(["demo-cp-c", "demo-cp-a", "demo-cp-b"]);
      s.expectWhole();
    },
  },
  {
    id: "4",
    title: "-refresh=false: nobody goes before the cluster was read; with a machine gone meanwhile the gate asks afresh",
    wait: "short",
    alone: true,
    both: true,
    async run(s) {
      s.want();
      await s.apply();
      s.edit();
      const unread = await s.plan(["-refresh=false"]);
      expect(unread.text).toMatch(/nobody takes a new release now: the cluster has not been read yet/);
      await s.apply(["-refresh=false"]);
      await s.f.w.expectEmptyPlan(["-refresh=false"]);
      expect(s.stops()).toEqual([]);

      // read by the applies of the roll; then b goes unseen, and nobody looks
      await s.toTheEnd();
      s.clear();
      s.edit();
      await s.vanish("b");
      expect(await s.refused(["-refresh=false"])).toMatch(/demo-cp-a was not taken down.*etcd member demo-cp-b does not answer/);
      expect(s.stops()).toEqual([]);
      await s.toTheEnd();
      s.expectWhole();
    },
  },
  {
    id: "4t",
    title: "-target of a membership out of its turn changes what is pending and nothing else",
    wait: "long",
    async run(s) {
      s.edit();
      await s.apply([`-target=${await s.address("honest_node", "c")}`]);
      expect(s.stops()).toEqual([]);
      await s.toTheEnd();
      expect(s.stops()).toEqual(names);
      s.expectWhole();
    },
  },
  {
    id: "5",
    title: "edited twice, the second time half-way: it ends on the last, and a goes twice",
    wait: "long",
    async run(s) {
      s.edit();
      await s.apply();
      s.edit();
      expect((await s.plan()).text).toMatch(/demo-cp-a takes its new release now; demo-cp-b, demo-cp-c wait for their turn/);
      await s.toTheEnd();
      expect(s.stops()).toEqual(["demo-cp-a", ...names]);
      s.expectWhole();
    },
  },
  {
    id: "6",
    title: "a spec that is only known after apply: a plan of nothing with a warning, the roll begins with the next",
    wait: "long",
    both: true,
    async run(s) {
      s.edit({ edit: unknownUntilApply("1") });
      const plan = await s.plan();
      expect(plan.text).toMatch(/A machine's spec is only known after apply/);
      expect(Object.keys(plan.changes)).toEqual(["terraform_data.pods"]);
      await s.apply();
      expect(s.stops()).toEqual([]);
      await s.toTheEnd();
      expect(s.stops()).toEqual(names);
      s.expectWhole();
      s.want();
      await s.apply();
      await s.empty();
    },
  },
  {
    id: "9",
    title: "roll in one apply: all three, one after the other",
    wait: "long",
    both: true,
    async run(s) {
      s.want({ roll: "in_one_apply" });
      await s.apply();
      s.edit({ roll: "in_one_apply" });
      await s.apply();
      expect([...s.stops()].sort()).toEqual(names);
      s.expectWhole();
      await s.empty();
      s.want();
      await s.apply();
    },
  },
  {
    id: "10",
    title: "-parallelism=1: paced as ever; three to be replaced at once: one goes, two are refused in time, nothing hangs",
    wait: "short",
    both: true,
    async run(s) {
      s.edit();
      for (let n = 0; n < 3; n += 1) await s.apply(["-parallelism=1"]);
      await s.empty();
      expect(s.stops()).toEqual(names);
      s.clear();
      const begun = Date.now();
      const said = await s.refused(["-parallelism=1", ...(await s.replaceAll())]);
      expect(Date.now() - begun).toBeLessThan(60_000);
      expect(said.match(/was not taken down/g)).toHaveLength(2);
      expect(s.stops()).toHaveLength(1);
      s.expectWhole();
      await s.toTheEnd();
    },
  },
  {
    id: "14",
    title: "another boot stage in the kit: no machine changes; the next release carries it",
    wait: "long",
    async run(s) {
      const sources = bootSources as Record<string, string>;
      sources["honest/later.py"] = "LATER = True\n";
      try {
        await s.empty();
        s.edit();
        await s.toTheEnd();
        expect(s.stops()).toEqual(names);
      } finally {
        delete sources["honest/later.py"];
      }
      await s.empty();
      s.expectWhole();
    },
  },
  {
    id: "17",
    title: "nobody may go: an empty plan with a warning, also when the reason moves; mended, it goes on",
    wait: "short",
    async run(s) {
      s.edit();
      await s.apply();
      s.machine("a").sick = true;
      const blocked = await s.plan();
      expect(blocked.exitCode).toBe(0);
      expect(blocked.text).toMatch(/nobody takes a new release now: demo-cp-a has the new release and is not Ready/);
      s.f.cloud.cluster.reachable = false;
      const moved = await s.plan();
      expect(moved.exitCode).toBe(0);
      expect(moved.text).toMatch(/nobody takes a new release now: .*127.0.0.1/);
      s.f.cloud.cluster.reachable = true;
      s.machine("a").sick = false;
      expect(await s.toTheEnd()).toBe(2);
      expect(s.stops()).toEqual(names);
      s.expectWhole();
    },
  },
];
