// A mark that an object has been seen in a Terraform state: an empty labelled volume, for objects that cannot hold a
// file. It tells what an interrupted create has left (ours to take) from what another state owns (not ours).
import type { Core } from "./core.js";
import { labelsOf } from "./labels.js";

const volumeOf = (cluster: string, object: string): string => `${cluster}.claimed.${object}`;

export const hasMark = async (core: Core, cluster: string, object: string): Promise<boolean> =>
  (await core.find(`/volumes/${volumeOf(cluster, object)}`)) !== null;

export async function setMark(core: Core, cluster: string, object: string): Promise<void> {
  const name = volumeOf(cluster, object);
  await core.json("/volumes/create", { method: "POST", json: { Name: name, Labels: labelsOf(cluster, "mark", object) } });
}

export async function dropMark(core: Core, cluster: string, object: string): Promise<void> {
  await core.drop(`/volumes/${volumeOf(cluster, object)}`);
}
