// The machine that figures are of, in words.

import { readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { output } from "./process.js";

/** What a program says, or why there is nothing to hear; the sections that need it fail on their own. */
async function version(program: string, args: readonly string[], pick: RegExp): Promise<string> {
  try {
    return pick.exec(await output(program, args))?.[1] ?? "of an unknown version";
  } catch (cause) {
    return `not there (${cause instanceof Error ? cause.message.split("\n")[0] : String(cause)})`;
  }
}

export async function describeMachine(): Promise<string> {
  const processor = cpus()[0]?.model.trim() || "unknown";
  const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? process.platform;
  const docker = await version("docker", ["version", "--format", "{{.Server.Version}}"], /^(\S+)/);
  const terraform = await version("terraform", ["version"], /^Terraform v(\S+)/m);
  return `${cpus().length} CPUs (${processor}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${system}, Linux ${release()}, Node ${process.versions.node}, Docker ${docker}, terraform ${terraform}`;
}
