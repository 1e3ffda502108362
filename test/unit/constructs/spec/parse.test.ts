import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "../../../../constructs/spec/parse.js";

const least = { name: "demo", version: "1.36.3", iaas: { local: {} } };
const group = (over: object = {}) => ({ scaling_config: { desired_size: 1 }, ...over });
const codes = (input: unknown): readonly string[] => (parse(input).problems ?? []).map((p) => `${p.path.join(".")} ${p.code}`);

describe("parse", () => {
  it("fills in every field, so that nobody below asks for a default", () => {
    const { spec } = parse({ ...least, node_groups: { workers: group() } });
    expect(spec).toMatchObject({
      version: "1.36.3",
      control_plane: { replicas: 1, zones: ["a"], etcd_volume: { size_gib: 8, type: null, iops: null } },
      deletion_protection: true,
      upgrade_policy: { roll: "one_per_apply", maintenance_window: null },
      node_groups: { workers: { version: "1.36.3", image: "honest-paas/machine:1.36.3", zones: ["a"], taint: [], labels: {} } },
    });
    const holes = (value: unknown): boolean =>
      value === undefined || (typeof value === "object" && value !== null && Object.values(value).some(holes));
    expect(holes(spec)).toBe(false);
  });

  it("freezes the spec all the way down and keeps no hold on the input", () => {
    const input = { ...least, control_plane: { zones: ["x", "y"] } };
    const { spec } = parse(input);
    input.control_plane.zones.push("z");
    const zones = spec?.control_plane.zones as string[];
    expect(zones).toEqual(["x", "y"]);
    expect(() => zones.push("z")).toThrow(TypeError);
  });

  it("takes null and undefined as left out, as HCL does", () => {
    expect(parse({ ...least, deletion_protection: null, vpc_config: undefined, control_plane: { image: null } }).spec).toEqual(
      parse(least).spec,
    );
  });

  it("gives the same spec in whatever order the fields were written", () => {
    const input = {
      ...least,
      version: "1.37.2",
      control_plane: { replicas: 3, component_flags: { "kubelet.v": "2", "etcd.quota-backend-bytes": "1" } },
      node_groups: { b: group({ labels: { y: "1", x: "2" } }), a: group() },
    };
    const wanted = JSON.stringify(parse(input).spec);
    fc.assert(fc.property(shuffled(input), (other) => JSON.stringify(parse(other).spec) === wanted));
  });

  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const { spec, problems } = parse(value);
        return (spec === undefined) !== (problems === undefined);
      }),
    );
  });

  it("tells all problems at once", () => {
    expect([...codes({ ...least, name: "Demo", control_plane: { replicas: 2 }, colour: "red" })].sort()).toEqual([
      "colour field.unknown",
      "control_plane.replicas field.value",
      "name name.invalid",
    ]);
  });
});

/** The same tree with the keys of every object in another order. */
function shuffled(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.tuple(...value.map(shuffled));
  if (typeof value !== "object" || value === null) return fc.constant(value);
  const entries = Object.entries(value);
  return fc
    .tuple(
      fc.shuffledSubarray(
        entries.map(([key]) => key),
        { minLength: entries.length },
      ),
      fc.tuple(...entries.map(([, item]) => shuffled(item))),
    )
    .map(([order, items]) => Object.fromEntries(order.map((key) => [key, items[entries.findIndex(([k]) => k === key)]])));
}

describe("fails when", () => {
  it.each([
    ["nothing is given", {}, ["name field.missing", "version field.missing", "iaas field.missing"]],
    ["the name has a capital", { ...least, name: "Demo" }, ["name name.invalid"]],
    ["the name has a dot", { ...least, name: "de.mo" }, ["name name.invalid"]],
    ["the name is not ASCII", { ...least, name: "кластер" }, ["name name.invalid"]],
    ["the name has 64 characters", { ...least, name: "a".repeat(64) }, ["name name.invalid"]],
    ["the name has 41 characters", { ...least, name: "a".repeat(41) }, ["name name.invalid"]],
    ["the name has one character", { ...least, name: "a" }, ["name name.invalid"]],
    ["the name ends in a dash", { ...least, name: "demo-" }, ["name name.invalid"]],
    ["the name is a number", { ...least, name: 5 }, ["name field.type"]],
    ["no cloud is named", { ...least, iaas: {} }, ["iaas iaas.one"]],
    ["two clouds are named", { ...least, iaas: { local: {}, preview: {} } }, ["iaas iaas.one"]],
    ["a cloud needs its region", { ...least, iaas: { aws: {} } }, ["iaas.aws.region field.missing"]],
    [
      "nobody says what machines of a cloud are made of",
      { ...least, iaas: { openstack: {} }, node_groups: { web: { scaling_config: { desired_size: 1 } } } },
      [
        "control_plane.instance_type field.missing",
        "control_plane.image field.missing",
        "control_plane.zones field.missing",
        "node_groups.web.instance_types field.missing",
        "node_groups.web.image field.missing",
      ],
    ],
    ["there are no replicas", { ...least, control_plane: { replicas: 0 } }, ["control_plane.replicas field.value"]],
    ["replicas are even", { ...least, control_plane: { replicas: 4 } }, ["control_plane.replicas field.value"]],
    ["there are seven replicas", { ...least, control_plane: { replicas: 7 } }, ["control_plane.replicas field.value"]],
    ["replicas are a text", { ...least, control_plane: { replicas: "3" } }, ["control_plane.replicas field.value"]],
    ["a zone is there twice", { ...least, control_plane: { zones: ["a", "a"] } }, ["control_plane.zones field.duplicate"]],
    ["a zone is no name", { ...least, control_plane: { zones: ["Zone 1"] } }, ["control_plane.zones.0 name.invalid"]],
    ["a group's name has a capital", { ...least, node_groups: { Web: group() } }, ["node_groups.Web name.invalid"]],
    ["a group has no size", { ...least, node_groups: { web: {} } }, ["node_groups.web.scaling_config field.missing"]],
    [
      "a size is below zero",
      { ...least, node_groups: { web: { scaling_config: { desired_size: -1 } } } },
      ["node_groups.web.scaling_config.desired_size field.range"],
    ],
    [
      "a size is not whole",
      { ...least, node_groups: { web: { scaling_config: { desired_size: 1.5 } } } },
      ["node_groups.web.scaling_config.desired_size field.type"],
    ],
    ["a group has a field that comes later", { ...least, node_groups: { web: group({ gpu: {} }) } }, ["node_groups.web.gpu field.later"]],
    [
      "a flag names no component",
      { ...least, control_plane: { component_flags: { "max-pods": "5" } } },
      ["control_plane.component_flags.max-pods name.invalid"],
    ],
    ["a port is out of range", { ...least, iaas: { local: { published_port: 70_000 } } }, ["iaas.local.published_port field.range"]],
    [
      "the window has no such day",
      { ...least, upgrade_policy: { maintenance_window: { days: ["Sat"], hour: 1, duration_hours: 1 } } },
      ["upgrade_policy.maintenance_window.days.0 field.value"],
    ],
  ])("%s", (_, input, wanted) => {
    expect(codes(input)).toEqual(wanted);
  });
});

describe("takes", () => {
  it.each([
    ["no workers", { ...least, node_groups: { web: { scaling_config: { desired_size: 0 } } } }],
    ["a name of two characters", { ...least, name: "ab" }],
    ["a name of forty characters", { ...least, name: "a".repeat(40) }],
    ["five replicas", { ...least, control_plane: { replicas: 5 } }],
    ["a preview", { ...least, iaas: { preview: {} } }],
  ])("%s", (_, input) => {
    expect(parse(input).problems).toBeUndefined();
  });
});
