// How many blocks there are, and what machines are made of, has to be known at synth. A token is not.
import { Token } from "cdktf";
import type { Problem } from "../spec/problem.js";

/** Keys come from variables and secret stores, and decide nothing that is made. As TypeScript writes them. */
const mayBeUnknown: readonly string[] = ["backup.target.passphrase", "backup.target.s3.accessKeyId", "backup.target.s3.secretAccessKey"];

export function unresolved(value: unknown, path: Problem["path"] = []): readonly Problem[] {
  if (mayBeUnknown.includes(path.join("."))) return [];
  if (Token.isUnresolved(value))
    return [
      {
        code: "value.unknown",
        path,
        message: "is only known when Terraform runs, but decides what there is to make",
        fix: "give a value that the program knows",
      },
    ];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => unresolved(item, [...path, Array.isArray(value) ? Number(key) : key]));
}
