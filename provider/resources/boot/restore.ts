// A control plane that goes back to a snapshot: what the plan refuses, what it says, and what the machine is told.
import { etcdNumber } from "../../../constructs/blueprint/machine-spec.js";
import type { RestoreSource } from "../../boot/document.js";
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import type { Attribute } from "../../framework/schema.js";
import { hasUnknown, type ObjectValue } from "../../framework/value.js";
import type { Facts } from "../../rollout/facts.js";
import { list } from "../../rollout/words.js";
import { isObject, text, texts } from "../cluster/decode.js";
import { sourceOf, specOf } from "./render.js";

const dayMs = 86_400_000;
/** What S3 gives a presigned URL at most. Whoever holds an older document could throw weeks of writes away. */
const longestDays = 7;
const roll = "Known at plan. A change makes a new release of the machine.";

export const restoreSpec: Attribute = {
  optional: true,
  change: "roll",
  description:
    "Control planes: the cluster goes back to a snapshot when the number is raised, all control planes at once. It stays here after that; it is never lowered.",
  nested: {
    mode: "single",
    attributes: {
      number: { type: "number", required: true, change: "roll", description: `Which restore it is, from 1. ${roll}` },
      sha256: {
        type: "string",
        required: true,
        change: "roll",
        description: `sha256 of the snapshot's file as it is fetched, hex. ${roll}`,
      },
    },
  },
};

export const restoreSource: Attribute = {
  optional: true,
  sensitive: true,
  description: "Where control planes fetch the snapshot of spec.restore. No part of the release: take it away when the restore is done.",
  nested: {
    mode: "single",
    attributes: {
      url: { type: "string", required: true, description: "http or https; a presigned URL will do." },
      passphrase: { type: "string", optional: true, description: "Passphrase of a sealed snapshot. Left out: it is not sealed." },
      not_after: {
        type: "string",
        required: true,
        description: `RFC 3339 in UTC, "2026-12-01T18:00:00Z": no machine goes back after that. ${longestDays} days ahead at most.`,
      },
    },
  },
};

/** Number that the machine of this state was made with. */
const madeWith = (prior: ObjectValue | null): number => Number(prior?.etcd_number ?? 0);

/** The machine is to be made for a restore that its predecessor was not made for. */
export const isRestoring = (prior: ObjectValue | null, proposed: ObjectValue): boolean => etcdNumber(specOf(proposed)) > madeWith(prior);

/** null before the first restore, so that clusters that never had one have nothing new in their state. */
export const etcdNumberOf = (value: ObjectValue): number | null => etcdNumber(specOf(value)) || null;

/** What the machine is told; null once the cluster has been seen with that number. */
export const sourceFor = (value: ObjectValue, facts: Facts | null): RestoreSource | null =>
  (facts?.number ?? 0) >= etcdNumber(specOf(value)) ? null : sourceOf(value);

export function restoreProblems(prior: ObjectValue, proposed: ObjectValue, facts: Facts | null, now: number): readonly Diagnostic[] {
  const { cluster, name } = specOf(proposed);
  const [wanted, made] = [etcdNumber(specOf(proposed)), madeWith(prior)];
  const refuse = (detail: string, path: readonly string[]): readonly Diagnostic[] => [
    error("The cluster does not go back to this snapshot", `Cluster ${cluster}: ${detail}. Nothing of it is changed.`, path),
  ];
  if (wanted < made)
    return refuse(
      `restore.number is ${wanted === 0 ? "left out" : wanted}, and machine ${name} is of number ${made}. A number is never lowered: keep restore with number ${made} and its sha256`,
      ["spec", "restore"],
    );
  if (wanted === made) return [];
  const source = isObject(proposed.restore_source) ? proposed.restore_source : null;
  if (source === null)
    return refuse(
      "restore.number was raised, and restore.url and restore.not_after are missing. honest-paas snapshot restore prints them",
      ["restore_source"],
    );
  const until = Date.parse(text(source.not_after) ?? "");
  if (!(until > now)) return refuse(`restore.not_after ${text(source.not_after)} is over`, ["restore_source", "not_after"]);
  if (until > now + longestDays * dayMs)
    return refuse(`restore.not_after ${text(source.not_after)} is more than ${longestDays} days ahead`, ["restore_source", "not_after"]);
  // where all of it is to come, the keys are too
  const { late = null } = proposed;
  if (hasUnknown(isObject(late) ? (late.pki ?? null) : late))
    return refuse("its authorities change in this apply too. A restore and a rotation of the authorities are two applies", ["late", "pki"]);
  const members = texts(proposed.members);
  const strangers = Object.keys(facts?.etcd ?? {}).filter((member) => members.length > 0 && !members.includes(member));
  if (strangers.length > 0)
    return refuse(`etcd has ${list(strangers)}, which is no control plane any more. A restore and fewer control planes are two applies`, [
      "members",
    ]);
  return [];
}

/** The same words from every control plane: Terraform folds them. */
export function restoreWarning(proposed: ObjectValue, facts: Facts | null): Diagnostic {
  const { cluster, restore } = specOf(proposed);
  const members = texts(proposed.members);
  const url = isObject(proposed.restore_source) ? (text(proposed.restore_source.url) ?? "") : "";
  const stamp = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(url);
  const taken = stamp ? ` of ${stamp[1]}-${stamp[2]}-${stamp[3]} ${stamp[4]}:${stamp[5]}:${stamp[6]} UTC` : "";
  const alive = facts?.reachable ? " The cluster answers now: it is taken out of service for this." : "";
  return warning(
    `Cluster ${cluster} goes back to a snapshot`,
    `Control planes ${list(members)} are replaced at once and start on the snapshot${taken} with sha256 ${restore?.sha256.slice(0, 12)}… (restore number ${restore?.number}). ` +
      `Everything that was written to the cluster after it is lost, and the API does not answer until all of them are there.${alive} What their etcd disks hold now is set aside on them, not deleted.`,
  );
}
