// A field that the cloud cannot honour is an error, never ignored.
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Problem } from "../spec/problem.js";
import type { Mapping } from "./mapping.js";

export function unhonoured(spec: ClusterSpec, mapping: Mapping): readonly Problem[] {
  const { limits, name } = mapping;
  const cannot = (path: Problem["path"], got: unknown, fix = "leave it out"): Problem => ({
    code: "cloud.unsupported",
    path,
    message: `the cloud "${name}" has no such thing`,
    got,
    fix,
  });
  const given = (path: Problem["path"], value: unknown, can: boolean) => (value === null || can ? [] : [cannot(path, value)]);
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
          : [cannot([...path, "capacity_type"], of.capacity_type, `write ${limits.capacityTypes.join(" or ")}`)]),
        ...(of.instance_types.length <= limits.instanceTypes
          ? []
          : [cannot([...path, "instance_types"], of.instance_types, `name ${limits.instanceTypes}`)]),
        ...of.instance_types.flatMap((type, n) => machineType(type, [...path, "instance_types", n], mapping)),
      ];
    }),
    ...(mapping.check?.(spec) ?? []),
  ];
}

function machineType(type: string, path: Problem["path"], { limits, name }: Mapping): readonly Problem[] {
  const form = limits.instanceType;
  if (form === null || form.pattern.test(type)) return [];
  return [{ code: "cloud.instance_type", path, message: `is no machine type of the cloud "${name}"`, got: type, allowed: form.allowed }];
}
