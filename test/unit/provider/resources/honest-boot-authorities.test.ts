// A machine's document in the middle of a rotation: when it carries the new authorities, and what is refused without.
import { describe, expect, it } from "vitest";
import { releaseOf } from "../../../../constructs/blueprint/machine-spec.js";
import { proposePlan } from "../../../../provider/framework/plan.js";
import { type ObjectValue, unknown } from "../../../../provider/framework/value.js";
import { honestBoot } from "../../../../provider/resources/honest-boot.js";
import { testContext } from "../../../support/context.js";
import { healthy, silent } from "../../../support/facts.js";
import { members, pkiText, spec } from "../boot/inputs.js";

const names = Object.keys(members);
const ofGeneration = (generation: number) => JSON.stringify({ ...(JSON.parse(pkiText) as object), ...(generation ? { generation } : {}) });
const specs = (authorities: number, over: object = {}) => spec({ ...(authorities ? { authorities } : {}), ...over });

function config(authorities: number, generation: number, over: ObjectValue = {}, specOver: object = {}): ObjectValue {
  return {
    spec: specs(authorities, specOver) as unknown as ObjectValue,
    late: { endpoint_address: "10.98.0.10", address: "10.98.0.11", etcd_disk: "honest-disk-1", pki: ofGeneration(generation), members },
    born: true,
    members: names,
    roster: Object.fromEntries(names.map((name) => [name, releaseOf(specs(authorities, { ...specOver, name }))])),
    access: { endpoint: "https://127.0.0.1:1", ca_bundle: "a", client_ca_cert: "b", client_ca_key: "c" },
    ...over,
  };
}
async function plan(wanted: ObjectValue, prior: ObjectValue | null, facts = healthy({}, names)) {
  const proposed = proposePlan(honestBoot.schema, wanted, prior);
  const answer = await honestBoot.plan?.({ prior, config: wanted, proposed, private: { facts } }, testContext());
  return { planned: answer?.planned as ObjectValue, diagnostics: answer?.diagnostics ?? [] };
}
async function apply(wanted: ObjectValue, prior: ObjectValue | null): Promise<ObjectValue> {
  const { planned } = await plan(wanted, prior);
  const request = { prior, planned, config: wanted, private: {} };
  const { state, diagnostics } =
    (await (prior ? honestBoot.update?.(request, testContext()) : honestBoot.create(request, testContext()))) ?? {};
  if (!state) throw new Error(diagnostics?.[0]?.detail);
  return state;
}

describe("a machine in the middle of a rotation", () => {
  it("has the release that it had before rotations were known", () => {
    expect(releaseOf(specs(0))).toBe(releaseOf({ ...specs(0), authorities: null }));
    expect(releaseOf(specs(0))).toBe(releaseOf({ ...specs(0), authorities: 0 }));
    expect(releaseOf(specs(1))).not.toBe(releaseOf(specs(0)));
  });

  it("waits while documents do not carry what its release asks for, and says what for; then takes it an apply later", async () => {
    const born = await apply(config(0, 0), null);
    expect(born.authorities).toBe(0);
    const promoted = await plan(config(1, 0), born);
    expect(promoted.planned).toMatchObject({ release: born.release, user_data: born.user_data, pending_count: 1, authorities: 0 });
    expect(promoted.diagnostics.map((d) => d.detail).join()).toContain(
      "boot documents carry the authorities of rotation 1 when every node uses them",
    );
    const stays = await apply(config(1, 0), born);
    expect((await plan(config(1, 0), stays)).planned).toEqual(stays);
    // documents follow: recorded by this apply, taken by the next
    const recorded = await apply(config(1, 1), stays);
    expect(recorded).toMatchObject({ release: born.release, pending_count: 1 });
    const taken = await apply(config(1, 1), recorded);
    expect(taken).toMatchObject({ release: releaseOf(specs(1)), authorities: 1, pending_count: 0 });
    expect(taken.user_data).not.toBe(born.user_data);
    expect((await plan(config(1, 1), taken)).planned).toEqual(taken);
  });

  it("is corrected with the authorities of now when it has nothing to lose", async () => {
    const born = await apply(config(0, 0), null);
    const me = specs(0).name;
    const dead = healthy({ etcd: { [me]: "dead" } }, names);
    const flags = { component_flags: { "kubelet.max-pods": "70" } };
    const { planned } = await plan(config(1, 0, {}, flags), born, dead);
    expect(planned).toMatchObject({ release: releaseOf(specs(0, flags)), authorities: 0 });
    // a rotation alone is no correction
    expect((await plan(config(1, 0), born, dead)).planned.pending_count).toBe(1);
  });

  it("goes back to a snapshot with the authorities of now: of a cluster that is lost nobody says that the rotation went on", async () => {
    const born = await apply(config(0, 0), null);
    const promoted = await apply(config(1, 0), born);
    const restore = { restore: { number: 1, sha256: "ab".repeat(32) } };
    const not_after = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");
    const from = { restore_source: { url: "https://s3/etcd", passphrase: null, not_after } };
    const { planned, diagnostics } = await plan(config(1, 0, from, restore), promoted, silent({}, names));
    expect(diagnostics.map((d) => d.summary)).toContain("Cluster demo goes back to a snapshot");
    expect(planned).toMatchObject({ release: releaseOf(specs(0, restore)), authorities: 0, etcd_number: 1, pending_count: 0 });
    expect(planned.user_data).not.toBe(promoted.user_data);
  });

  it("that is added carries what documents carry now, and is stale until it has the rest", async () => {
    const added = await apply(config(1, 0), null);
    expect(added).toMatchObject({ release: releaseOf(specs(0)), authorities: 0 });
    expect((await plan(config(1, 0), added)).planned.pending_count).toBe(1);
    expect(await apply(config(1, 1), null)).toMatchObject({ release: releaseOf(specs(1)), authorities: 1 });
  });

  it("is not made when its authorities turn out to be others than planned", async () => {
    const wanted = config(1, 0, { late: unknown });
    const { planned } = await plan(wanted, null);
    expect(planned).toMatchObject({ authorities: 1 });
    const came = { ...planned, late: config(1, 0).late as ObjectValue };
    const { state, diagnostics } = await honestBoot.create({ prior: null, planned: came, config: wanted, private: {} }, testContext());
    expect([state, diagnostics?.[0]?.summary]).toEqual([null, "Authorities are others than planned"]);
  });

  it("keeps the old ones from being retired while its document is older", async () => {
    const born = await apply(config(0, 0), null);
    const retire = { retired: 1 };
    for (const late of [config(1, 1, retire), config(1, 1, { ...retire, labels: unknown })]) {
      const { planned, diagnostics } = await plan(late, born);
      expect(planned).toEqual(born);
      expect(diagnostics[0]?.severity).toBe("error");
      expect(diagnostics[0]?.detail).toContain('{ number = 1, state = "promote" }');
    }
    const taken = await apply(config(1, 1), await apply(config(1, 1), born));
    const { planned, diagnostics } = await plan(config(1, 1, retire), taken);
    expect([planned.release, diagnostics]).toEqual([taken.release, []]);
  });

  it("of a kit before rotations is one of the first authorities", async () => {
    const { authorities: _, ...old } = await apply(config(0, 0), null);
    const prior = { ...old, authorities: null };
    expect((await plan(config(0, 0), prior)).planned).toEqual(prior);
    expect((await plan(config(1, 0, { retired: 1 }), prior)).diagnostics[0]?.severity).toBe("error");
  });
});
