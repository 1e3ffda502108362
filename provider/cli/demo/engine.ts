// Finds a Docker engine, or starts one where that is ours to do.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEngine, defaultHost, type Engine, type Probe } from "../../engine/engine.js";
import { EngineError } from "../../engine/error.js";
import { cacheRoot } from "../../mirror/cache.js";
import { UserError } from "../command.js";
import { onPath } from "../terraform/find.js";
import { type Host, installPackages, run } from "./host.js";

export interface EngineOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: Host;
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface FoundEngine {
  readonly engine: Engine;
  readonly probe: Probe;
  readonly started: boolean;
}

const address = (env: EngineOptions["env"]): string => env.DOCKER_HOST || defaultHost;
/** Says that the engine was started by us: whoever destroys the last demo ends it again. */
const record = (): string => join(cacheRoot(), "engine.json");

async function answering(host: string): Promise<Probe | undefined> {
  const engine = createEngine(host);
  try {
    return await engine.probe();
  } catch (cause) {
    if (cause instanceof EngineError && cause.kind === "unreachable") return undefined;
    throw cause;
  } finally {
    await engine.close();
  }
}

async function waitFor(host: string, alive: () => string | undefined, signal: AbortSignal): Promise<Probe> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    signal.throwIfAborted();
    const probe = await answering(host);
    if (probe) return probe;
    const died = alive();
    if (died) throw new UserError(died);
    await new Promise((wake) => setTimeout(wake, 250));
  }
  throw new UserError(`The Docker engine was started and does not answer at ${host} within 60 s.`);
}

/** Without systemd nothing starts it for us: a process of its own that outlives this one. */
function startDetached(program: string): { readonly pid: number; readonly died: () => string | undefined } {
  const log = join(cacheRoot(), "dockerd.log");
  mkdirSync(dirname(log), { recursive: true });
  const out = openSync(log, "w");
  const child = spawn(program, [], { detached: true, stdio: ["ignore", out, out] });
  closeSync(out);
  let ended: number | undefined;
  child.on("exit", (code) => {
    ended = code ?? -1;
  });
  child.on("error", () => {
    ended = -1;
  });
  child.unref();
  const died = (): string | undefined =>
    ended === undefined
      ? undefined
      : `dockerd ended with ${ended}. Its last words:\n${readFileSync(log, "utf8").trim().split("\n").slice(-5).join("\n")}`;
  return { pid: child.pid ?? 0, died };
}

/** Starts an engine that is installed; undefined when none is. */
async function startInstalled(options: EngineOptions): Promise<Probe | undefined> {
  const program = onPath("dockerd", { PATH: `${options.env.PATH ?? ""}:/usr/sbin:/usr/local/sbin` });
  if (!program) return undefined;
  if (existsSync("/run/systemd/system")) {
    options.note("starting docker.service");
    await run("systemctl", ["start", "docker.service"], options.signal);
    return waitFor(defaultHost, () => undefined, options.signal);
  }
  options.note("starting dockerd as a process of its own (demo destroy ends it)");
  const { pid, died } = startDetached(program);
  mkdirSync(dirname(record()), { recursive: true });
  writeFileSync(record(), `${JSON.stringify({ pid })}\n`);
  return waitFor(defaultHost, died, options.signal);
}

export async function ensureEngine(options: EngineOptions): Promise<FoundEngine> {
  const host = address(options.env);
  const there = await answering(host);
  if (there) return { engine: createEngine(host), probe: there, started: false };
  if (host !== defaultHost) throw new UserError(`No Docker engine answers at ${host} (DOCKER_HOST). Start it, or unset DOCKER_HOST.`);
  if (!options.host.installs)
    throw new UserError(
      `No Docker engine answers at ${host}, and none is started because ${options.host.reason}. Install and start one (docs.docker.com/engine/install), or point DOCKER_HOST at one.`,
    );
  let probe = await startInstalled(options);
  if (!probe) {
    await installPackages(["docker.io", "iptables"], options.note, options.signal);
    probe = (await answering(host)) ?? (await startInstalled(options));
  }
  if (!probe) throw new UserError("The package docker.io is installed and brought no dockerd. Install a Docker engine by hand.");
  return { engine: createEngine(host), probe, started: true };
}

/** For destroy: an engine that answers, else one that is installed and may hold something. Never installs. */
export async function existingEngine(options: EngineOptions): Promise<Engine | undefined> {
  const host = address(options.env);
  if (await answering(host)) return createEngine(host);
  if (host !== defaultHost || !options.host.installs) return undefined;
  return (await startInstalled(options)) ? createEngine(host) : undefined;
}

const isDockerd = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "dockerd";
  } catch {
    // no such process
    return false;
  }
};

/** Ends the engine if we started it and nobody has a container in it. True when it was ended. */
export async function stopOwnEngine(engine: Engine, note: (line: string) => void): Promise<boolean> {
  if (!existsSync(record())) return false;
  const { pid } = JSON.parse(readFileSync(record(), "utf8")) as { pid: number };
  if (!isDockerd(pid)) {
    rmSync(record(), { force: true });
    return false;
  }
  const containers = await engine.json<readonly { readonly Names: readonly string[] }[]>("/containers/json", { query: { all: true } });
  if (containers.length > 0) {
    note(`the engine goes on: it has ${containers.length} other containers`);
    return false;
  }
  process.kill(pid, "SIGTERM");
  for (const end = Date.now() + 30_000; isDockerd(pid) && Date.now() < end; ) await new Promise((wake) => setTimeout(wake, 100));
  rmSync(record(), { force: true });
  return true;
}
