// Names as vendors take them: cut without two becoming one.
import { createHash } from "node:crypto";
import type { Problem } from "../spec/problem.js";
import type { Mapping } from "./mapping.js";
import type { VendorResource } from "./resource.js";

const digits = 5;

/** The name, or its beginning and a digest of the whole of it where it is longer than `length`. */
export function fitName(name: string, length: number): string {
  if (name.length <= length) return name;
  const mark = createHash("sha256").update(name).digest("hex").slice(0, digits);
  return `${name.slice(0, length - digits - 1).replace(/-+$/, "")}-${mark}`;
}

const usual = {
  length: 63,
  pattern: /^[a-z]([a-z0-9-]*[a-z0-9])?$/,
  allowed: "a-z, 0-9 and dashes, a letter first, a letter or digit last",
} as const;

/** Names that the vendor would refuse, or that two resources of one type would share. */
export function nameProblems(resources: readonly VendorResource[], { limits, name: cloud }: Mapping): readonly Problem[] {
  const seen = new Map<string, string>();
  return resources.flatMap((resource): readonly Problem[] => {
    const limit = limits.names?.[resource.type] ?? usual;
    const given = resource.args[("argument" in limit && limit.argument) || "name"];
    if (typeof given !== "string" || resource.type.startsWith("honest_")) return [];
    const path = ["name"];
    const what = `${resource.name} (${resource.type})`;
    if (given.length > limit.length || !limit.pattern.test(given))
      return [
        {
          code: "name.invalid",
          path,
          message: `makes a name that the cloud "${cloud}" does not take for ${what}`,
          got: given,
          allowed: `at most ${limit.length} characters; ${limit.allowed}`,
          fix: "rename the cluster, the group or the zone",
        },
      ];
    const key = `${resource.type} ${given}`;
    const other = seen.get(key);
    seen.set(key, resource.name);
    if (other === undefined) return [];
    return [
      {
        code: "name.duplicate",
        path,
        message: `gives ${what} the same name as ${other}`,
        got: given,
        fix: "rename the cluster, the group or the zone",
      },
    ];
  });
}
