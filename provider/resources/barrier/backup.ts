// Backups as the barrier sees them: the policy and the keys that agents are given, and what is wrong with what was written.
import {
  boundsWords,
  drillBounds,
  isEndpoint,
  scheduleBounds,
  scheduleSeconds,
  shortestPassphrase,
  within,
} from "../../../constructs/spec/rules/backup.js";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import type { Attribute } from "../../framework/schema.js";
import type { ObjectValue } from "../../framework/value.js";
import type { BackupKeys, BackupPolicy } from "../../kube/core-manifests/parts.js";
import { isObject, text } from "../cluster/decode.js";

const defaults = { schedule: "6h", keep: 8, drill_every: "24h", target_keep: 30, region: "us-east-1" } as const;

const key = (description: string): Attribute => ({ type: "string", required: true, sensitive: true, description });

const s3: Attribute = {
  required: true,
  description: "A bucket of any server that speaks S3.",
  nested: {
    mode: "single",
    attributes: {
      endpoint: { type: "string", required: true, description: 'URL of the server as control planes reach it, "https://s3.example.com".' },
      bucket: { type: "string", required: true, description: "Name of the bucket, which exists." },
      prefix: { type: "string", optional: true, description: 'What the names of all objects begin with, "clusters/". Default none.' },
      region: { type: "string", optional: true, description: "Region that requests are signed for. Default us-east-1." },
      access_key_id: key("Key that control planes use there."),
      secret_access_key: key("Its secret."),
      ca: {
        type: "string",
        optional: true,
        description: "PEM certificates that the server's own is checked against. Default: those of the machines' operating system.",
      },
    },
  },
};

export const backupAttribute: Attribute = {
  optional: true,
  description:
    "Snapshots of etcd. Left out: every 6h to the disk of each control plane, 8 are kept, a restore is tried every 24h, nothing leaves the cluster. Agents take a change in place within a minute.",
  nested: {
    mode: "single",
    attributes: {
      schedule: {
        type: "string",
        optional: true,
        description: `Time between two snapshots of a control plane, ${boundsWords(scheduleBounds)}. Default ${defaults.schedule}.`,
      },
      keep: { type: "number", optional: true, description: `Snapshots that stay on each etcd disk. Default ${defaults.keep}.` },
      drill_every: {
        type: "string",
        optional: true,
        description: `Time between two trials of a restore, ${boundsWords(drillBounds)}. Default ${defaults.drill_every}.`,
      },
      target: {
        optional: true,
        description: "Where one control plane sends a sealed copy of its newest snapshot. Left out: nowhere.",
        nested: {
          mode: "single",
          attributes: {
            s3,
            passphrase: key(
              `Seals everything that leaves the cluster; ${shortestPassphrase} characters at least. Without it no copy can be opened: keep it elsewhere.`,
            ),
            keep: { type: "number", optional: true, description: `Snapshots that stay there. Default ${defaults.target_keep}.` },
          },
        },
      },
    },
  },
};

const part = (value: ObjectValue, name: string): ObjectValue => {
  const found = value[name];
  return isObject(found) ? found : {};
};

/** What agents may know of it without a Secret; unknown and null count as left out. */
export function backupPolicy(value: ObjectValue): BackupPolicy {
  const backup = part(value, "backup");
  const target = part(backup, "target");
  const to = part(target, "s3");
  const prefix = text(to.prefix) ?? "";
  return {
    every_seconds: scheduleSeconds(text(backup.schedule) ?? defaults.schedule),
    keep: Number(backup.keep ?? defaults.keep),
    drill_seconds: scheduleSeconds(text(backup.drill_every) ?? defaults.drill_every),
    target: isObject(backup.target)
      ? {
          endpoint: (text(to.endpoint) ?? "").replace(/\/$/, ""),
          bucket: text(to.bucket) ?? "",
          prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
          region: text(to.region) ?? defaults.region,
          ca: text(to.ca),
          keep: Number(target.keep ?? defaults.target_keep),
        }
      : null,
  };
}

/** undefined when nothing leaves the cluster. */
export function backupKeys(value: ObjectValue): BackupKeys | undefined {
  const target = part(value, "backup").target;
  if (!isObject(target)) return undefined;
  const to = part(target, "s3");
  return {
    access_key_id: text(to.access_key_id) ?? "",
    secret_access_key: text(to.secret_access_key) ?? "",
    passphrase: text(target.passphrase) ?? "",
  };
}

/** What is known and wrong. What it is that somebody wrote as a key is not repeated. */
export function backupProblems(config: ObjectValue): readonly Diagnostic[] {
  const backup = part(config, "backup");
  const target = part(backup, "target");
  const to = part(target, "s3");
  const policy = backupPolicy(config);
  const wrong = (path: readonly string[], detail: string): readonly Diagnostic[] => [
    error("Not a setting of backups", `${["backup", ...path].join(".")} ${detail}.`, ["backup", ...path]),
  ];
  const count = (path: readonly string[], got: unknown, most: number): readonly Diagnostic[] =>
    typeof got !== "number" || (Number.isInteger(got) && got >= 1 && got <= most)
      ? []
      : wrong(path, `is ${got}. Allowed: a whole number, 1 to ${most}`);
  const given = (value: unknown): value is string => typeof value === "string";
  return [
    ...(within(policy.every_seconds, scheduleBounds)
      ? []
      : wrong(["schedule"], `is ${JSON.stringify(backup.schedule)}. Allowed: ${boundsWords(scheduleBounds)}`)),
    ...(within(policy.drill_seconds, drillBounds)
      ? []
      : wrong(["drill_every"], `is ${JSON.stringify(backup.drill_every)}. Allowed: ${boundsWords(drillBounds)}`)),
    ...count(["keep"], backup.keep, 100),
    ...count(["target", "keep"], target.keep, 1000),
    ...(given(to.endpoint) && !isEndpoint(to.endpoint)
      ? wrong(
          ["target", "s3", "endpoint"],
          `is ${JSON.stringify(to.endpoint)}. Write http or https, a host, and a port where it is not the usual one`,
        )
      : []),
    ...(given(to.prefix) && /^\/|\/\//.test(to.prefix)
      ? wrong(["target", "s3", "prefix"], `is ${JSON.stringify(to.prefix)}. Write folders with one slash between, and none first`)
      : []),
    ...(given(target.passphrase) && target.passphrase.length < shortestPassphrase
      ? wrong(["target", "passphrase"], `has ${target.passphrase.length} characters. Write ${shortestPassphrase} or more`)
      : []),
    ...["access_key_id", "secret_access_key"].flatMap((name) =>
      to[name] === "" ? wrong(["target", "s3", name], "is empty. Give the key that control planes use there") : [],
    ),
  ];
}
