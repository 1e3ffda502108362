// honest-paas snapshot restore: the lines of a spec that take a cluster back to a snapshot, and what that loses. It changes
// nothing itself: the restore is an apply, with a plan before it.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, type FlagValues, first, type Io, UserError, wholeNumber } from "../command.js";
import { pullState, type State, stackFolder } from "../terraform/state.js";
import { longestSeconds, presign } from "./presign.js";

const variables = {
  id: ["HONEST_PAAS_S3_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"],
  secret: ["HONEST_PAAS_S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"],
} as const;

/** What is known of a snapshot before it is fetched. */
interface Known {
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
    "Of a file: --file and the --url at which control planes will fetch it. Of an S3 target: --object, the snapshot's folder as `PREFIX/CLUSTER/UID/ID`, with --endpoint and --bucket; the URL is then signed for --hours.",
    `Keys of the target come from ${variables.id[0]} and ${variables.secret[0]} (or ${variables.id[1]} and ${variables.secret[1]}). Nothing is changed: put the lines into the spec, read the plan, apply it.`,
  ],
  flags: [
    { name: "file", value: "FILE", help: "The snapshot as control planes will fetch it." },
    { name: "url", value: "URL", help: "Where they will." },
    { name: "object", value: "FOLDER", help: "Folder of the snapshot in the bucket." },
    { name: "endpoint", value: "URL", help: "The S3 server." },
    { name: "bucket", value: "NAME", help: "Its bucket." },
    { name: "region", value: "NAME", help: "Region that requests are signed for. Default us-east-1." },
    { name: "hours", value: "HOURS", help: "How long control planes may go back to it, 1 to 168. Default 3." },
    { name: "number", value: "NUMBER", help: "Which restore it is. Default: one more than the stack's state says." },
    { name: "stack", value: "FOLDER", help: "Folder of the stack. Default: this folder, or the only stack below its cdktf.out." },
  ],
  async run(flags, io) {
    const hours = wholeNumber(flags, "hours", { min: 1, max: longestSeconds / 3600, otherwise: 3 });
    const number = await numberOf(flags, io);
    const now = new Date();
    const known = first(flags, "object") === undefined ? await ofFile(flags, io) : await ofTarget(flags, io, hours * 3600, now);
    const end = new Date(now.getTime() + hours * 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");
    io.out(block(known, number, end));
    io.say(lost(known, number, end));
    return 0;
  },
};

export function block({ sha256, url, sealed }: Known, number: number, notAfter: string): string {
  const lines = [
    `number: ${number},`,
    `sha256: ${JSON.stringify(sha256)},`,
    `url: ${JSON.stringify(url)},`,
    ...(sealed ? ["passphrase: process.env.HONEST_PAAS_PASSPHRASE,"] : []),
    `notAfter: ${JSON.stringify(notAfter)},`,
  ];
  return `restore: {\n${lines.map((line) => `  ${line}\n`).join("")}},\n`;
}

export const lost = ({ of }: Known, number: number, notAfter: string): string =>
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

async function numberOf(flags: FlagValues, io: Io): Promise<number> {
  if (first(flags, "number") !== undefined) return wholeNumber(flags, "number", { min: 1, max: 1_000_000, otherwise: 1 });
  return nextNumber(await pullState(stackFolder(resolve(io.cwd, first(flags, "stack") ?? ".")), io.env));
}

async function ofFile(flags: FlagValues, io: Io): Promise<Known> {
  const [file, url] = [first(flags, "file"), first(flags, "url")];
  if (file === undefined || url === undefined)
    throw new UserError("Name the snapshot: --file FILE and --url URL, or --object FOLDER with --endpoint and --bucket.");
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

interface Manifest {
  readonly proof?: { readonly name?: string; readonly version?: string; readonly revision?: number; readonly keys?: number };
  readonly objects?: { readonly etcd?: { readonly name?: string; readonly sha256?: string } };
}

async function ofTarget(flags: FlagValues, io: Io, seconds: number, now: Date): Promise<Known> {
  const [folder = "", endpoint, bucket] = [first(flags, "object")?.replace(/\/$/, ""), first(flags, "endpoint"), first(flags, "bucket")];
  const given = (names: readonly string[]): string | undefined => names.map((name) => io.env[name]).find((value) => value);
  const [accessKeyId, secretAccessKey] = [given(variables.id), given(variables.secret)];
  if (endpoint === undefined || bucket === undefined) throw new UserError("--object needs --endpoint and --bucket: they name the target.");
  if (!URL.canParse(endpoint)) throw new UserError(`--endpoint is "${endpoint}". Write a URL: https://s3.example.com.`);
  if (!accessKeyId || !secretAccessKey)
    throw new UserError(`The target's keys are missing: put them into ${variables.id[0]} and ${variables.secret[0]}.`);
  const signer = { region: first(flags, "region") ?? "us-east-1", accessKeyId, secretAccessKey };
  const at = (name: string): string => `${endpoint.replace(/\/$/, "")}/${bucket}/${folder}/${name}`;
  const manifest = await fetched(presign(at("manifest.json"), signer, 300, now), at("manifest.json"), io.signal);
  const { proof = {}, objects: { etcd = {} } = {} } = manifest;
  if (!etcd.name || !/^[0-9a-f]{64}$/.test(etcd.sha256 ?? ""))
    throw new UserError(`${at("manifest.json")} is no manifest of a snapshot: it names no object with its sha256.`);
  const { name = "?", version = "?", revision = "?", keys = "?" } = proof;
  const of = `the snapshot of ${name} (Kubernetes ${version}, revision ${revision}, ${keys} keys)`;
  return { sha256: etcd.sha256 ?? "", url: presign(at(etcd.name), signer, seconds, now), sealed: etcd.name.endsWith(".sealed"), of };
}

async function fetched(url: string, place: string, signal: AbortSignal): Promise<Manifest> {
  try {
    const answer = await fetch(url, { signal });
    if (!answer.ok) throw new UserError(`${place}: HTTP ${answer.status} ${(await answer.text()).slice(0, 200)}`);
    return (await answer.json()) as Manifest;
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const { message, cause: inner } = cause as Error;
    throw new UserError(`${place} is not read: ${message}${inner instanceof Error ? ` (${inner.message})` : ""}`);
  }
}
