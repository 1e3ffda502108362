// The engine's names: they carry the cluster, so that two clusters on one engine never meet.

/** "demo-cp-a" stays, "edge" of the cluster demo becomes "demo-edge". */
export const containerNameOf = (cluster: string, name: string): string => (name.startsWith(`${cluster}-`) ? name : `${cluster}-${name}`);

export const dataVolumeName = (cluster: string, machineId: string, folder: string): string => `${cluster}.${machineId}.${folder}`;
