// Names and keys of nodes. All are made of names that the user chose; none of positions in a list, but a worker's ordinal
// within its zone.

export const controlPlanePool = "cp";
export const apiPort = 6443;

/** Letters of control planes, in the order in which they are added. */
export const letters = ["a", "b", "c", "d", "e"] as const;
export type Letter = (typeof letters)[number];

import { inName } from "../spec/rules/names.js";

export { endpointName } from "../spec/defaults.js";

export const controlPlaneName = (cluster: string, letter: Letter): string => `${cluster}-${controlPlanePool}-${letter}`;
export const controlPlaneId = (letter: Letter): string => `${controlPlanePool}/${letter}`;

/** First part of a worker's Node name; a suffix of its machine follows. */
export const workerName = (cluster: string, group: string, zone: string, ordinal: number): string =>
  `${cluster}-${group}-${inName(zone)}-${ordinal}`;

/** Groups have a level of their own, so that no name of a group meets a name of ours, now or later. */
export const groupId = (group: string): string => `group/${group}`;
export const workerId = (group: string, zone: string, ordinal: number): string => `${groupId(group)}/${zone}/${ordinal}`;
