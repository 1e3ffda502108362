// honest-paas doctor: what this computer has of what the tool needs.
import { statfs } from "node:fs/promises";
import { createEngine } from "../engine/engine.js";
import { cacheRoot } from "../mirror/cache.js";
import type { Command, Io } from "./command.js";
import { hostOf } from "./demo/host.js";
import { findTerraform, howToGetOne, onPath } from "./terraform/find.js";

export interface Finding {
  readonly what: string;
  readonly state: "good" | "missing" | "wanted";
  readonly text: string;
}

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

async function engineFinding(env: Io["env"]): Promise<Finding> {
  const engine = createEngine(env.DOCKER_HOST || undefined);
  try {
    const { engineVersion, cgroupVersion, cpus, memoryBytes, rootless } = await engine.probe();
    const text = `Docker ${engineVersion} at ${engine.host}, cgroup v${cgroupVersion}, ${cpus} CPUs, ${gib(memoryBytes)}`;
    return rootless
      ? { what: "engine", state: "missing", text: `${text}, rootless: machines need an engine that runs as root` }
      : { what: "engine", state: "good", text };
  } catch (cause) {
    const host = hostOf(true);
    const then = host.installs ? "honest-paas demo installs and starts one" : `install one (${host.reason}, so the demo does not)`;
    return { what: "engine", state: "missing", text: `${cause instanceof Error ? cause.message : String(cause)}; ${then}` };
  } finally {
    await engine.close();
  }
}

async function spaceFinding(): Promise<Finding> {
  const root = cacheRoot();
  for (let path = root; ; path = path.slice(0, path.lastIndexOf("/")) || "/") {
    try {
      const { bavail, bsize } = await statfs(path);
      const free = bavail * bsize;
      return {
        what: "cache",
        state: free > 15 * 2 ** 30 ? "good" : "wanted",
        text: `${root}, ${gib(free)} free; a cold build takes about 15 GiB`,
      };
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT" || path === "/") throw cause;
    }
  }
}

export async function examine(env: Io["env"]): Promise<readonly Finding[]> {
  const { program, rejected } = await findTerraform(env);
  const tool = (name: string, use: string): Finding => {
    const path = onPath(name, env);
    return { what: name, state: path ? "good" : "wanted", text: path ?? `not on PATH; ${use}` };
  };
  return [
    { what: "node", state: "good", text: process.versions.node },
    program
      ? { what: "terraform", state: "good", text: `${program.path} ${program.version}` }
      : { what: "terraform", state: "missing", text: [...rejected, howToGetOne].join("; ") },
    await engineFinding(env),
    tool("mmdebstrap", "needed once per machine image"),
    tool("go", "needed only where upstream's downloads cannot be reached"),
    await spaceFinding(),
  ];
}

export const doctor: Command = {
  name: "doctor",
  summary: "Says what this computer has of what is needed, and what is missing.",
  flags: [],
  async run(_flags, io) {
    const findings = await examine(io.env);
    const marks = { good: "ok", missing: "MISSING", wanted: "wanted" } as const;
    for (const { what, state, text } of findings) io.out(`${marks[state].padEnd(8)} ${what.padEnd(11)} ${text}\n`);
    return findings.some((finding) => finding.state === "missing") ? 1 : 0;
  },
};
