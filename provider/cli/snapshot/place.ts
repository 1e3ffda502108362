// Where a cluster's snapshots are: the target in the stack's state, or what flags and environment say, so that it can be read
// when there is neither state nor cluster any more. Keys come by the environment only: everybody may read a command line.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { S3Place } from "../../backup/s3.js";
import { type Flag, type FlagValues, first, type Io, UserError } from "../command.js";
import { pullState, type State, stackFolder } from "../terraform/state.js";

export interface Place {
  readonly s3: S3Place;
  /** Begins the name of every object: prefix, cluster and uid where they are known. */
  readonly below: string;
  /** From the state; null = the environment has to say it. */
  readonly passphrase: string | null;
}
export interface Known {
  /** null = there is none, or none was asked for. */
  readonly state: State | null;
  readonly folder: string;
  readonly cluster: string | null;
}

export const passphraseVariable = "HONEST_PAAS_PASSPHRASE";
const idVariables = ["HONEST_PAAS_S3_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"] as const;
const secretVariables = ["HONEST_PAAS_S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"] as const;

export const placeFlags: readonly Flag[] = [
  { name: "stack", value: "FOLDER", help: "Folder of the stack. Default: this folder, or the only stack below its cdktf.out." },
  { name: "cluster", value: "NAME", help: "Which cluster, when the stack or the target has several." },
  { name: "endpoint", value: "URL", help: "Target without a state: the S3 server. With --bucket." },
  { name: "bucket", value: "NAME", help: "Its bucket." },
  { name: "prefix", value: "TEXT", help: "What names there begin with. Default none." },
  { name: "region", value: "NAME", help: "Region that requests are signed for. Default us-east-1." },
  { name: "ca", value: "FILE", help: "PEM certificates that the server's own is checked against." },
];
export const keysHelp = `Without a state the keys come from ${idVariables[0]} and ${secretVariables[0]} (or ${idVariables[1]} and ${secretVariables[1]}), the passphrase from ${passphraseVariable}; with one they come from it, and variables that begin with HONEST_PAAS go before.`;

const environment = (io: Io, names: readonly string[]): string | undefined => names.map((name) => io.env[name]).find((value) => value);

/** The state, unless the flags name a target of their own: then neither terraform nor a folder is needed. */
export async function knownOf(flags: FlagValues, io: Io): Promise<Known> {
  const cluster = first(flags, "cluster") ?? null;
  if (first(flags, "endpoint") !== undefined && first(flags, "stack") === undefined) return { state: null, folder: io.cwd, cluster };
  return { ...(await stateOf(flags, io)), cluster };
}

export async function stateOf(flags: FlagValues, io: Io): Promise<{ readonly state: State; readonly folder: string }> {
  const folder = stackFolder(resolve(io.cwd, first(flags, "stack") ?? "."));
  return { state: await pullState(folder, io.env), folder };
}

type Values = Readonly<Record<string, unknown>>;
const values = (value: unknown): Values => (value !== null && typeof value === "object" ? (value as Values) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const slashed = (prefix: string): string => (prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`);

/** undefined: nobody says of a target. */
export function placeOf(flags: FlagValues, io: Io, { state, folder, cluster }: Known): Place | undefined {
  const ca = first(flags, "ca");
  const caText = ca === undefined ? null : readFileSync(resolve(io.cwd, ca), "utf8");
  const keys = { accessKeyId: environment(io, idVariables), secretAccessKey: environment(io, secretVariables) };
  const passphrase = io.env[passphraseVariable] || null;
  const endpoint = first(flags, "endpoint");
  const bucket = first(flags, "bucket");
  if ((endpoint === undefined) !== (bucket === undefined))
    throw new UserError("--endpoint and --bucket go together: they name the target.");
  if (endpoint !== undefined && bucket !== undefined) {
    if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
      throw new UserError(`--endpoint is "${endpoint}". Write a URL: https://s3.example.com.`);
    if (!keys.accessKeyId || !keys.secretAccessKey)
      throw new UserError(`The target's keys are missing: put them into ${idVariables[0]} and ${secretVariables[0]}.`);
    const s3 = { endpoint: new URL(endpoint).origin, bucket, region: first(flags, "region") ?? "us-east-1", ca: caText };
    const below = `${slashed(first(flags, "prefix") ?? "")}${cluster === null ? "" : `${cluster}/`}`;
    return { s3: { ...s3, accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey }, below, passphrase };
  }
  if (state === null) return undefined;
  const barrier = barrierOf(state, cluster, folder);
  const target = values(values(barrier.backup).target);
  const to = values(target.s3);
  if (text(to.endpoint) === "") return undefined;
  return {
    s3: {
      endpoint: text(to.endpoint).replace(/\/$/, ""),
      bucket: text(to.bucket),
      region: text(to.region) || "us-east-1",
      // those of AWS are for something else here: this target has keys of its own
      accessKeyId: io.env[idVariables[0]] || text(to.access_key_id),
      secretAccessKey: io.env[secretVariables[0]] || text(to.secret_access_key),
      ca: caText ?? (text(to.ca) || null),
    },
    below: `${slashed(text(to.prefix))}${text(barrier.cluster)}/${text(barrier.uid)}/`,
    passphrase: passphrase ?? text(target.passphrase),
  };
}

/** `otherwise`: what to do where there is no target. */
export function targetOf(flags: FlagValues, io: Io, known: Known, otherwise: string): Place {
  const place = placeOf(flags, io, known);
  if (place === undefined)
    throw new UserError(
      `There is no target: backup.target is left out in this cluster's configuration. ${otherwise}, or name another target with --endpoint and --bucket.`,
    );
  return place;
}

function barrierOf(state: State, cluster: string | null, folder: string): Values {
  const all = state.resources
    .filter((r) => r.mode === "managed" && r.type === "honest_barrier")
    .flatMap((r) => r.instances)
    .map((instance) => values(instance.attributes));
  const names = all.map((barrier) => text(barrier.cluster));
  const chosen = cluster === null ? all : all.filter((barrier) => barrier.cluster === cluster);
  const [only] = chosen;
  if (all.length === 0)
    throw new UserError(
      `The state of ${folder} has no cluster yet. Run terraform apply there first, or name the target: --endpoint and --bucket.`,
    );
  if (!only) throw new UserError(`The state of ${folder} has no cluster "${cluster}". It has: ${names.join(", ")}.`);
  if (chosen.length > 1)
    throw new UserError(`The state of ${folder} has ${all.length} clusters: ${names.join(", ")}. Choose one: --cluster ${names[0]}.`);
  return only;
}
