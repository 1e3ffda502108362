// What only the user knows of a cloud, and what an existing network needs to be said of. Asked before defaults are filled in.
import { cloudOf, saysMachines } from "./defaults.js";
import type { ClusterInput } from "./gen/spec.js";
import type { Problem } from "./problem.js";

export function required(input: ClusterInput): readonly Problem[] {
  return [...machines(input), ...networkRange(input)];
}

function machines(input: ClusterInput): readonly Problem[] {
  if (!saysMachines(input.iaas)) return [];
  const cloud = cloudOf(input.iaas);
  const missing = (path: Problem["path"], fix: string): Problem => ({
    code: "field.missing",
    path,
    message: `is required on the cloud "${cloud}"`,
    fix,
  });
  const what = {
    instance_type: "name a machine type of the cloud",
    instance_types: "name machine types of the cloud",
    image: "name a machine image of the cloud (docs/clouds says how to have one made)",
    zones: "name the zones that machines spread over",
  };
  const control = (["instance_type", "image", "zones"] as const).flatMap((field) =>
    input.control_plane?.[field] === undefined ? [missing(["control_plane", field], what[field])] : [],
  );
  const groups = Object.entries(input.node_groups ?? {}).flatMap(([name, group]) =>
    (["instance_types", "image"] as const).flatMap((field) =>
      group[field] === undefined ? [missing(["node_groups", name, field], what[field])] : [],
    ),
  );
  return [...control, ...groups];
}

/** Fixed addresses are reckoned from the range: a guessed one would be wrong in a network that somebody else has made. */
function networkRange({ vpc_config: network }: ClusterInput): readonly Problem[] {
  if (network?.network_id === undefined || network.cidr !== undefined) return [];
  return [
    {
      code: "field.missing",
      path: ["vpc_config", "cidr"],
      message: "is required with network_id",
      fix: network.subnets ? "write the range of the existing network" : "write the range of the subnet",
    },
  ];
}
