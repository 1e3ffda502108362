// A field that the cloud cannot honour is an error, never ignored.
import { build } from "../blueprint/build.js";
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Problem } from "../spec/problem.js";
import { mapCluster } from "./map.js";
import type { Mapping } from "./mapping.js";
import { nameProblems } from "./names.js";

export function unhonoured(spec: ClusterSpec, mapping: Mapping): readonly Problem[] {
  const found = [...fields(spec, mapping), ...network(spec, mapping), ...machines(spec, mapping), ...(mapping.check?.(spec) ?? [])];
  // Names are looked at where they are made; a spec that is refused makes none.
  return found.length ? found : nameProblems(mapCluster(spec, build(spec), mapping), mapping);
}

const cannot = ({ name }: Mapping, path: Problem["path"], got: unknown, fix = "leave it out"): Problem => ({
  code: "cloud.unsupported",
  path,
  message: `the cloud "${name}" has no such thing`,
  got,
  fix,
});

/** What the mapping says that it does not have. */
function fields(spec: ClusterSpec, mapping: Mapping): readonly Problem[] {
  return Object.entries(mapping.unsupported).flatMap(([field, fix]) =>
    valuesAt(spec, field.split("."), []).flatMap(({ path, value }) => (isGiven(value) ? [cannot(mapping, path, value, fix)] : [])),
  );
}

function valuesAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  path: readonly (string | number)[],
): readonly { readonly path: readonly (string | number)[]; readonly value: unknown }[] {
  if (name === undefined) return [{ path, value }];
  if (typeof value !== "object" || value === null) return [];
  const keys = name === "*" ? Object.keys(value) : [name];
  return keys.flatMap((key) => valuesAt((value as Readonly<Record<string, unknown>>)[key], rest, [...path, key]));
}

const isGiven = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && !(typeof value === "object" && Object.keys(value).length === 0);

function network({ vpc_config: wanted, control_plane, node_groups, tags }: ClusterSpec, mapping: Mapping): readonly Problem[] {
  const { limits, name, outputs } = mapping;
  const at = (field: string): Problem["path"] => ["vpc_config", field];
  const byZone = Object.keys(wanted.subnets).length > 0;
  const zones = [...new Set([...control_plane.zones, ...Object.values(node_groups).flatMap((group) => group.zones)])].sort();
  const given = wanted.endpoint_public_addresses;
  const publicSubnets = Object.values(wanted.subnets).filter(({ public_cidr }) => public_cidr !== null).length;
  const most = { none: 0, one: 1, per_zone: byZone ? publicSubnets : 1 }[limits.publicAddresses];
  return [
    ...(limits.subnets === "one" && byZone
      ? [
          cannot(
            mapping,
            at("subnets"),
            Object.keys(wanted.subnets),
            "leave it out; one subnet is in all zones, its range is vpc_config.cidr",
          ),
        ]
      : []),
    ...(limits.subnets === "per_zone" && !byZone
      ? zones.map((zone) => ({
          code: "zone.no_subnet",
          path: ["vpc_config", "subnets", zone],
          message: `is missing; a subnet of the cloud "${name}" lies in one zone`,
          fix: `write { "${zone}": { cidr: … } } for a part of ${wanted.cidr}`,
        }))
      : []),
    ...(limits.egress.includes(wanted.egress)
      ? []
      : [{ ...cannot(mapping, at("egress"), wanted.egress, `write ${limits.egress.join(" or ")}`), allowed: limits.egress.join(", ") }]),
    ...(wanted.endpoint_public_access &&
    outputs.publicHost === undefined &&
    !Object.hasOwn(mapping.unsupported, "vpc_config.endpoint_public_access")
      ? [cannot(mapping, at("endpoint_public_access"), true)]
      : []),
    ...(given.length > most
      ? [
          {
            ...cannot(mapping, at("endpoint_public_addresses"), given, most === 0 ? "leave it out" : `name ${most}`),
            message: `the cloud "${name}" takes ${most} here`,
          },
        ]
      : []),
    ...tagProblems(tags, mapping),
  ];
}

function tagProblems(tags: ClusterSpec["tags"], mapping: Mapping): readonly Problem[] {
  const { limits, name } = mapping;
  if (Object.keys(tags).length === 0) return [];
  const form = limits.tags;
  if (form === null) return [cannot(mapping, ["tags"], tags)];
  const count = Object.keys(tags).length;
  if (count > form.most)
    return [
      {
        code: "cloud.tags",
        path: ["tags"],
        message: `are more than the cloud "${name}" takes`,
        got: count,
        allowed: `at most ${form.most}`,
      },
    ];
  return Object.entries(tags).flatMap(([key, value]) =>
    form.key.test(key) && form.value.test(value)
      ? []
      : [{ code: "cloud.tags", path: ["tags", key], message: `is no tag of the cloud "${name}"`, got: value, allowed: form.allowed }],
  );
}

function machines(spec: ClusterSpec, mapping: Mapping): readonly Problem[] {
  const { limits } = mapping;
  const given = (path: Problem["path"], value: unknown, can: boolean) => (value === null || can ? [] : [cannot(mapping, path, value)]);
  const { control_plane: control, node_groups } = spec;
  return [
    ...given(["control_plane", "disk_size"], control.disk_size, limits.rootDisk),
    ...given(["control_plane", "etcd_volume", "type"], control.etcd_volume.type, limits.diskTypes),
    ...given(["control_plane", "etcd_volume", "iops"], control.etcd_volume.iops, limits.diskIops),
    ...machineType(control.instance_type, ["control_plane", "instance_type"], mapping),
    ...Object.entries(node_groups).flatMap(([group, of]) => {
      const path = ["node_groups", group];
      return [
        ...given([...path, "disk_size"], of.disk_size, limits.rootDisk),
        ...(limits.capacityTypes.includes(of.capacity_type)
          ? []
          : [cannot(mapping, [...path, "capacity_type"], of.capacity_type, `write ${limits.capacityTypes.join(" or ")}`)]),
        ...(of.instance_types.length <= limits.instanceTypes
          ? []
          : [cannot(mapping, [...path, "instance_types"], of.instance_types, `name ${limits.instanceTypes}`)]),
        ...of.instance_types.flatMap((type, n) => machineType(type, [...path, "instance_types", n], mapping)),
      ];
    }),
  ];
}

function machineType(type: string, path: Problem["path"], { limits, name }: Mapping): readonly Problem[] {
  const form = limits.instanceType;
  if (form === null || form.pattern.test(type)) return [];
  return [{ code: "cloud.instance_type", path, message: `is no machine type of the cloud "${name}"`, got: type, allowed: form.allowed }];
}
