// One snapshot at the target, for the commands that work with one.
import { type Stored, storedSnapshots } from "../../backup/target.js";
import { UserError } from "../command.js";
import type { Place } from "./place.js";

/** undefined: the newest. */
export async function chosenAt({ s3, below }: Place, id: string | undefined, signal: AbortSignal): Promise<Stored> {
  const stored = await storedSnapshots(s3, below, signal);
  const chosen = id === undefined ? stored.at(-1) : stored.find((one) => one.id === id);
  if (chosen) return chosen;
  const where = `below ${below || "the bucket's root"} in ${s3.bucket}.`;
  throw new UserError(
    id === undefined ? `There is no snapshot ${where}` : `There is no snapshot "${id}" ${where} honest-paas snapshot list names them.`,
  );
}
