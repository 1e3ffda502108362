// Names of nodes are made of names of the spec. They have to be unique and to fit in a host name.
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";

/** A host name's part, and the value of a label. */
const longest = 63;
/** "-" and five digits that tell a worker's machine from its successor. */
const suffix = 6;

/** A zone as part of a host name: clouds write "GRA11" and "ru.msk" too. */
export const inName = (zone: string): string => zone.toLowerCase().replaceAll(/[._]/g, "-");

export function nameRules(spec: ClusterSpec): readonly Problem[] {
  return [...reserved(spec), ...tooLong(spec), ...twice(spec)];
}

function reserved(spec: ClusterSpec): readonly Problem[] {
  if (!Object.hasOwn(spec.node_groups, "cp")) return [];
  return [
    { code: "name.reserved", path: ["node_groups", "cp"], message: "is the control plane's own name", got: "cp", fix: "use another name" },
  ];
}

function tooLong(spec: ClusterSpec): readonly Problem[] {
  return Object.entries(spec.node_groups).flatMap(([name, group]) => {
    const zone = group.zones.reduce((a, b) => (b.length > a.length ? b : a), "");
    const ordinals = String(Math.max(0, group.scaling_config.desired_size - 1)).length;
    const length = `${spec.name}-${name}-${zone}-`.length + ordinals + suffix;
    if (length <= longest) return [];
    return [
      {
        code: "name.too_long",
        path: ["node_groups", name],
        message: `makes node names of ${length} characters ("${spec.name}-${name}-${zone}-0-1a2b3")`,
        allowed: `at most ${longest}`,
        fix: `shorten the name of the cluster, the group or the zone by ${length - longest}`,
      },
    ];
  });
}

/** Group "a" in zone "b-c" and group "a-b" in zone "c" would make nodes of one name. */
function twice(spec: ClusterSpec): readonly Problem[] {
  const seen = new Map<string, string>();
  return Object.entries(spec.node_groups).flatMap(([name, group]) =>
    group.zones.flatMap((zone) => {
      const first = `${name}-${inName(zone)}`;
      const other = seen.get(first);
      seen.set(first, name);
      if (other === undefined) return [];
      return [
        {
          code: "name.duplicate",
          path: ["node_groups", name, "zones"],
          message: `makes nodes named "${spec.name}-${first}-…", as the group "${other}" does`,
          fix: "rename one of the groups",
        },
      ];
    }),
  );
}
