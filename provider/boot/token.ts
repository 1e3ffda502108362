// A worker's join token: derived, so that the machine's user-data and the grant agree without a third place that knows it.
// It is worth nothing until its grant is put into the cluster, for an hour, for one name.
import { createHmac } from "node:crypto";

export function workerToken(seed: string, name: string, release: string): string {
  const hex = (what: string): string => createHmac("sha256", Buffer.from(seed, "hex")).update(`${what}:${name}:${release}`).digest("hex");
  return `${hex("id").slice(0, 6)}.${hex("secret").slice(0, 16)}`;
}
