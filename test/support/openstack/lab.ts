// A real OpenStack for the tests: Debian's packages on a loopback address, by test/openstack/control.py. It is installed and
// started once and stays up from one test file to the next; .ci/run starts and stops it.
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const control = resolve(import.meta.dirname, "../../openstack/control.py");
/** As test/openstack/lab/place.py has it. */
const folder = (): string =>
  process.env.HONEST_OPENSTACK_DIR || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "honest-paas", "openstack");

export interface Lab {
  /** What terraform needs in its environment to be an ordinary member of the project. */
  readonly environment: Readonly<Record<string, string>>;
  /** Zones, each with one hypervisor and one store of volumes. */
  readonly zones: readonly ["a", "b", "c"];
  /** Stops services by their names; a restart is both. */
  stop(...services: readonly string[]): Promise<void>;
  start(...services: readonly string[]): Promise<void>;
  /** Takes away everything that the tests' project has: what a run that was cut off has left. */
  clean(): Promise<void>;
}

/** Why there can be no lab on this computer; null: there can. */
export function labMissing(): string | null {
  if (process.platform !== "linux" || !existsSync("/usr/bin/apt-get")) return "the lab is made of Debian's packages";
  if (process.getuid?.() !== 0) return "the lab is installed and run by root";
  const release = readFileSync("/etc/os-release", "utf8");
  if (!/^VERSION_CODENAME=bookworm$/m.test(release)) return "the lab is made of the packages of Debian 12 (bookworm)";
  return null;
}

/** Installed, started, ready. In CI there has to be one. */
export async function startLab(log: (line: string) => void = () => undefined): Promise<Lab> {
  const missing = labMissing();
  if (missing !== null) throw new Error(missing);
  await said(["up"], log);
  const environment = JSON.parse(readFileSync(join(folder(), "environment.json"), "utf8")) as Record<string, string>;
  return {
    environment,
    zones: ["a", "b", "c"],
    stop: (...services) => quiet(["stop", ...services]),
    start: (...services) => quiet(["start", ...services]),
    clean: () => quiet(["clean"]),
  };
}

function said(args: readonly string[], log: (line: string) => void): Promise<void> {
  const child = spawn("/usr/bin/python3", [control, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      words += chunk;
      for (const line of String(chunk).trimEnd().split("\n")) log(line);
    });
  return new Promise((done, fail) => {
    child.on("error", fail);
    // not "close": what it started has its own log, and lives on
    child.on("exit", (code) => (code === 0 ? done() : fail(new Error(`the lab ended with ${code}: ${words.slice(-4000)}`))));
  });
}

const quiet = (args: readonly string[]): Promise<void> =>
  new Promise((done, fail) => {
    execFile("/usr/bin/python3", [control, ...args], (problem, _out, words) =>
      problem ? fail(new Error(`${args.join(" ")}: ${words}`)) : done(),
    );
  });
