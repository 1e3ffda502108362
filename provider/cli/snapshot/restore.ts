// honest-paas snapshot restore: the lines of a spec that take a cluster back to a snapshot, and what that loses. It changes
// nothing itself: the restore is an apply, with a plan before it.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, type FlagValues, first, type Io, UserError, wholeNumber } from "../command.js";
import { timeOf } from "../status/words.js";
import type { State } from "../terraform/state.js";
import { type Known, keysHelp, knownOf, passphraseVariable, placeFlags, stateOf, targetOf } from "./place.js";

/** What S3 signs for at most. */
const longestHours = 7 * 24;

/** What is known of a snapshot before it is fetched. */
interface Source {
  /** Of the file as it is fetched. */
  readonly sha256: string;
  readonly url: string;
  readonly sealed: boolean;
  /** Of what it is, in words. */
  readonly of: string;
}

export const snapshotRestore: Command = {
  name: "snapshot restore",
  summary: "Prints what to write into the spec to take the cluster back to a snapshot, and says what is lost.",
  details: [
    "Of the target: --id, as snapshot list names it; the URL is signed for --hours. Of a file: --file, and the --url at which control planes will fetch it.",
    "Nothing is changed: put the lines into the spec, read the plan, apply it.",
    keysHelp,
    "  honest-paas snapshot restore --id 20261130T120000Z-prod-cp-a\n  honest-paas snapshot restore --file snapshot.db --url http://10.0.0.1:8000/snapshot.db",
  ],
  flags: [
    ...placeFlags,
    { name: "id", value: "ID", help: "Which one at the target, as snapshot list names it." },
    { name: "file", value: "FILE", help: "Without a target: the snapshot as control planes will fetch it. With --url." },
    { name: "url", value: "URL", help: "Where they will." },
    { name: "hours", value: "HOURS", help: `How long control planes may go back to it, 1 to ${longestHours}. Default 3.` },
    { name: "number", value: "NUMBER", help: "Which restore it is. Default: one more than the stack's state says." },
  ],
  async run(flags, io) {
    const hours = wholeNumber(flags, "hours", { min: 1, max: longestHours, otherwise: 3 });
    const id = first(flags, "id");
    const ofOneFile = ["file", "url"].filter((name) => first(flags, name) !== undefined).map((name) => `--${name}`);
    if (id !== undefined && ofOneFile.length > 0)
      throw new UserError(
        `--id ${id} names a snapshot at the target, ${ofOneFile.join(" and ")} one that is not there. Give --id alone, or --file with --url.`,
      );
    const wanted = id === undefined ? null : { id, known: await knownOf(flags, io) };
    const number = await numberOf(flags, io, wanted?.known.state ?? null);
    const now = new Date();
    const source = wanted === null ? await ofFile(flags, io) : await ofTarget(flags, io, wanted, hours * 3600, now);
    const end = timeOf(now.getTime() + hours * 3_600_000);
    io.out(block(source, number, end));
    io.say(lost(source, number, end));
    return 0;
  },
};

function block({ sha256, url, sealed }: Source, number: number, notAfter: string): string {
  const lines = [
    `number: ${number},`,
    `sha256: ${JSON.stringify(sha256)},`,
    `url: ${JSON.stringify(url)},`,
    ...(sealed ? [`passphrase: process.env.${passphraseVariable},`] : []),
    `notAfter: ${JSON.stringify(notAfter)},`,
  ];
  return `restore: {\n${lines.map((line) => `  ${line}\n`).join("")}},\n`;
}

const lost = ({ of }: Source, number: number, notAfter: string): string =>
  [
    `Restore ${number} goes back to ${of}.`,
    "All control planes are replaced at once. Everything that was written to the cluster after this snapshot is lost: objects made since are gone, deleted ones are back.",
    `Control planes may go back to it until ${notAfter}. When it is done only number and sha256 stay in the spec.`,
  ].join("\n");

/** One more than any control plane of the stack was made with. */
export function nextNumber({ resources }: Pick<State, "resources">): number {
  const made = resources
    .filter((resource) => resource.type === "honest_boot")
    .flatMap((resource) => resource.instances)
    .map((instance) => Number((instance.attributes as { etcd_number?: unknown }).etcd_number ?? 0));
  return Math.max(0, ...made) + 1;
}

async function numberOf(flags: FlagValues, io: Io, state: State | null): Promise<number> {
  if (first(flags, "number") !== undefined) return wholeNumber(flags, "number", { min: 1, max: 1_000_000, otherwise: 1 });
  return nextNumber(state ?? (await stateOf(flags, io)).state);
}

async function ofFile(flags: FlagValues, io: Io): Promise<Source> {
  const [file, url] = [first(flags, "file"), first(flags, "url")];
  if (file === undefined || url === undefined)
    throw new UserError("Name the snapshot: --file FILE and --url URL, or --id ID of one at the target.");
  if (!/^https?:\/\/[^\s/]+\/\S+$/.test(url)) throw new UserError(`--url is "${url}". Write an http or https URL of the file.`);
  const path = resolve(io.cwd, file);
  const { size, mtime } = await stat(path).catch((cause: Error) => {
    throw new UserError(`--file ${file} cannot be read: ${cause.message}`);
  });
  const digest = createHash("sha256");
  let begin = Buffer.alloc(0);
  for await (const part of createReadStream(path)) {
    const bytes = part as Buffer;
    if (begin.length < 8) begin = Buffer.concat([begin, bytes.subarray(0, 8 - begin.length)]);
    digest.update(bytes);
  }
  const of = `${file} (${size} bytes, of ${mtime.toISOString().slice(0, 19)}Z)`;
  return { sha256: digest.digest("hex"), url, sealed: begin.toString("latin1") === "HPSEAL1\n", of };
}

interface Wanted {
  readonly id: string;
  readonly known: Known;
}

async function ofTarget(flags: FlagValues, io: Io, { id, known }: Wanted, seconds: number, now: Date): Promise<Source> {
  const place = targetOf(flags, io, known, "Name a file with --file and --url");
  const { objectUrl, presigned } = await import("../../backup/s3.js");
  const { chosenAt } = await import("./chosen.js");
  const { folder, manifest } = await chosenAt(place, id, io.signal);
  if (typeof manifest === "string") throw new UserError(`${id}: ${manifest}. Take another one.`);
  const { objects, proof } = manifest;
  return {
    sha256: objects.etcd.sha256,
    url: presigned(objectUrl(place.s3, `${folder}${objects.etcd.name}`), place.s3, seconds, now),
    sealed: true,
    of: `the snapshot of ${proof.name} (Kubernetes ${proof.version}, revision ${proof.revision}, ${proof.keys} keys)`,
  };
}
