// What the host offers for installing things, and the words when it does not.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { buildTools, isThere } from "../../mirror/tools.js";
import { UserError } from "../command.js";

export interface Host {
  /** May install Debian packages: root on Debian or Ubuntu, and not forbidden. */
  readonly installs: boolean;
  /** Why not; a half sentence. */
  readonly reason: string;
}

export function hostOf(allowed: boolean, osRelease = readOsRelease(), uid = process.getuid?.() ?? -1): Host {
  const ids = [...osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, list = ""]) => list.split(" "));
  if (!ids.includes("debian") && !ids.includes("ubuntu")) return { installs: false, reason: "this is neither Debian nor Ubuntu" };
  if (uid !== 0) return { installs: false, reason: "this is not root" };
  return allowed ? { installs: true, reason: "" } : { installs: false, reason: "--no-install was given" };
}

const readOsRelease = (): string => (existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "");

/** Runs a program quietly; a failure carries its last lines. */
export function run(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"], signal });
    let tail = "";
    const keep = (chunk: Buffer): void => {
      tail = (tail + chunk).slice(-3000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", fail);
    child.on("close", (code) =>
      code === 0
        ? done()
        : fail(new UserError(`${program} ${args.join(" ")} ended with ${code}:\n${tail.trim().split("\n").slice(-8).join("\n")}`)),
    );
  });
}

export async function installPackages(packages: readonly string[], note: (line: string) => void, signal: AbortSignal): Promise<void> {
  note(`installing Debian packages: ${packages.join(" ")} (--no-install forbids it)`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-q"], signal, env);
  await run("apt-get", ["install", "-q", "-y", "--no-install-recommends", ...packages], signal, env);
}

/** Installs what building artefacts and images calls; go is no Debian package of use: Debian's is too old for Kubernetes. */
export async function ensureBuilders(host: Host, note: (line: string) => void, signal: AbortSignal): Promise<void> {
  const tools = buildTools.filter((tool) => tool.needs !== "go");
  const there = await Promise.all(tools.map((tool) => isThere(tool)));
  const missing = tools.filter((_, i) => !there[i]).map((tool) => tool.package);
  if (missing.length === 0) return;
  if (!host.installs)
    throw new UserError(
      `Building needs ${missing.join(", ")}, and nothing is installed because ${host.reason}. On Debian or Ubuntu: apt-get install ${missing.join(" ")}.`,
    );
  await installPackages(missing, note, signal);
}

const instancesFile = "/proc/sys/fs/inotify/max_user_instances";
/** A machine's systemd, kubelet and containerd take about twenty; Linux gives one user 128 for all machines together. */
const instancesWanted = 1024;

/** Without it the fifth or sixth machine ends with "Too many open files". Lasts until the host is started again. */
export function raiseInotify(host: Host, note: (line: string) => void): void {
  if (!existsSync(instancesFile)) return;
  const now = Number(readFileSync(instancesFile, "utf8"));
  if (now >= instancesWanted) return;
  const command = `sysctl fs.inotify.max_user_instances=${instancesWanted}`;
  try {
    if (!host.installs) throw new Error(host.reason);
    writeFileSync(instancesFile, String(instancesWanted));
    note(`raised fs.inotify.max_user_instances from ${now} to ${instancesWanted}, which several machines need`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    note(`fs.inotify.max_user_instances is ${now}, which is enough for about four machines (not raised: ${why}); for more: ${command}`);
  }
}
