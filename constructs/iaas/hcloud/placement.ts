// Spread groups: their servers run on different hosts. A group takes ten, and a running server cannot change its group, so a
// server's group follows from its name alone: five ordinals share one. With every successor beside its predecessor that is ten.
import type { Member } from "../../blueprint/blueprint.js";
import type { Context } from "../mapping.js";
import { fitName } from "../names.js";
import { type Ref, ref, type VendorResource } from "../resource.js";
import { labels } from "./settings.js";

export const serversPerGroup = 5;
/** Longest name that the cloud is known to take. */
const nameLength = 63;

function pathOf(member: Member): string {
  if (member.role === "control-plane") return `control-plane/${member.zone}`;
  const ordinal = Number(member.id.split("/").at(-1));
  return `group/${member.pool}/${member.zone}/${Math.floor(ordinal / serversPerGroup)}`;
}

const resourceOf = (path: string): string => `shared/placement/${path}`;

export function placementGroups({ spec, blueprint }: Context): readonly VendorResource[] {
  const members = [...blueprint.controlPlanes, ...blueprint.groups.flatMap((group) => group.workers)];
  return [...new Set(members.map(pathOf))].map((path) => ({
    type: "hcloud_placement_group",
    name: resourceOf(path),
    args: {
      name: fitName(`${spec.name}-${path.replace(/^group\//, "").replaceAll("/", "-")}`, nameLength),
      type: "spread",
      labels: labels(spec),
    },
  }));
}

export const placementGroupId = (member: Member): Ref => ref(resourceOf(pathOf(member)), "id");
