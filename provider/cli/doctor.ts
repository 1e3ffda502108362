// honest-paas doctor: the likely cause of what is wrong with a cluster, and what this computer has of what the tool needs.
import { resolve } from "node:path";
import { createEngine } from "../engine/engine.js";
import { wordBytes } from "../engine/free-space.js";
import { componentsOf, defaultVersion } from "../mirror/versions.js";
import { type Command, type FlagValues, first, has, type Io, UserError } from "./command.js";
import { hostOf } from "./demo/host.js";
import { engineHost, engineNeeds, goNeed, mirrorNeed, type Need, shortages } from "./demo/space.js";
import { diagnose } from "./diagnosis/diagnose.js";
import { gather } from "./diagnosis/gather.js";
import { diagnosisText } from "./diagnosis/render.js";
import { type ClusterAccess, chooseCluster, clustersIn } from "./kubeconfig/access.js";
import { timeOf } from "./status/words.js";
import { findTerraform, howToGetOne, onPath } from "./terraform/find.js";
import { holdsStack, pullState, type State, stackFolder } from "./terraform/state.js";

export interface Finding {
  readonly what: string;
  readonly state: "good" | "missing" | "wanted";
  readonly text: string;
}

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

async function engineFinding(env: Io["env"]): Promise<Finding> {
  const engine = createEngine(engineHost(env));
  try {
    const { engineVersion, cgroupVersion, cpus, memoryBytes, rootless } = await engine.probe();
    const text = `Docker ${engineVersion} at ${engine.host}, cgroup v${cgroupVersion}, ${cpus} CPUs, ${gib(memoryBytes)}`;
    return rootless
      ? { what: "engine", state: "missing", text: `${text}, rootless: machines need an engine that runs as root` }
      : { what: "engine", state: "good", text };
  } catch (cause) {
    const host = hostOf(true);
    const then = host.installs ? "honest-paas demo installs and starts one" : `install one (${host.reason}, so the demo does not)`;
    return {
      what: "engine",
      state: "missing",
      text: `${(cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, "")}; ${then}`,
    };
  } finally {
    await engine.close();
  }
}

/** A line for each place that a demo of the default version still writes to, and one for what all of it lacks. */
async function spaceFindings(env: Io["env"]): Promise<readonly Finding[]> {
  const parts = componentsOf(defaultVersion);
  if (!parts) throw new TypeError(`${defaultVersion} is not in the version table`);
  const engine = createEngine(engineHost(env));
  try {
    const mirror = await mirrorNeed(parts);
    const machines = await engineNeeds(engine, parts, env.HONEST_DEMO_NAME || "demo");
    const certain = [mirror, ...machines];
    const building = mirror.bytes > 0 ? [await goNeed(env)] : [];
    const certainShort = shortages(certain);
    const perhapsShort = shortages([...certain, ...building]);
    return [
      placeFinding("cache", [mirror]),
      ...(machines.length > 0 ? [placeFinding("data", machines)] : []),
      ...(building.length > 0 ? [placeFinding("go cache", building)] : []),
      ...certainShort.map((text): Finding => ({ what: "space", state: "missing", text })),
      ...(certainShort.length > 0
        ? []
        : perhapsShort.map(
            (text): Finding => ({ what: "space", state: "wanted", text: `if upstream's downloads cannot be reached: ${text}` }),
          )),
    ];
  } finally {
    await engine.close();
  }
}

export function placeFinding(what: string, needs: readonly Need[]): Finding {
  const [first] = needs;
  const free = first?.free ? `${wordBytes(first.free.bytes)} free` : "on the engine's own host: free space unknown";
  const missing = needs.filter((need) => need.bytes > 0).map((need) => `${wordBytes(need.bytes)} for ${need.what}`);
  const rest = missing.length > 0 ? `still wanted: ${missing.join(", ")}` : "nothing more is wanted";
  return { what, state: "good", text: `${first?.path}, ${free}; ${rest}` };
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
    ...(await spaceFindings(env)),
  ];
}

async function computer(io: Io, json: boolean): Promise<number> {
  const findings = await examine(io.env);
  const marks = { good: "ok", missing: "MISSING", wanted: "wanted" } as const;
  if (json) io.out(`${JSON.stringify({ format: 1, of: "computer", findings })}\n`);
  else for (const { what, state, text } of findings) io.out(`${marks[state].padEnd(8)} ${what.padEnd(11)} ${text}\n`);
  return findings.some((finding) => finding.state === "missing") ? 1 : 0;
}

/** undefined = the stack of this folder has no cluster, which is no fault where nobody asked for one. */
async function stackOf(
  folder: string,
  flags: FlagValues,
  io: Io,
  asked: boolean,
): Promise<{ state: State; access: ClusterAccess } | undefined> {
  const stack = stackFolder(folder);
  let clusters: readonly ClusterAccess[] = [];
  try {
    const state = await pullState(stack, io.env);
    clusters = clustersIn(state);
    return { state, access: chooseCluster(clusters, first(flags, "cluster"), stack) };
  } catch (cause) {
    // which of several is meant only a person knows
    if (asked || clusters.length > 0 || !(cause instanceof UserError)) throw cause;
    io.say(`${cause.message} So this computer is looked at.`);
    return undefined;
  }
}

async function cluster({ state, access }: { state: State; access: ClusterAccess }, json: boolean, io: Io): Promise<number> {
  const evidence = await gather(state, access, io.env, io.signal);
  const findings = diagnose(evidence);
  const { cluster, endpoint, now } = evidence;
  const at = timeOf(now);
  io.out(json ? `${JSON.stringify({ format: 1, of: "cluster", cluster, endpoint, at, findings })}\n` : diagnosisText(evidence, findings));
  return findings.length > 0 ? 2 : 0;
}

export const doctor: Command = {
  name: "doctor",
  summary: "Names the likely cause of what is wrong with the cluster of a stack; without a stack, what this computer lacks.",
  details: [
    "In the folder of a stack, or with --stack, it looks at the way to the cluster's endpoint, at what the cluster says and, on the local cloud, at the machines, and names the likely causes, the best first: no quorum, clock, disk, certificate, DNS, endpoint, image pull, pod network, PodDisruptionBudget, mirror. It changes nothing. Exit code: 0 nothing is found, 1 it cannot look, 2 something is found.",
    `Elsewhere, also before the first apply, or with --computer, it says what this computer has of what the tool needs; exit code 1 when something is missing. Disk space is told for a demo of Kubernetes ${defaultVersion}: what is free in the cache, in Go's build cache and where the engine keeps its data, and what is still to be written there.`,
  ],
  flags: [
    { name: "stack", value: "FOLDER", help: "Folder of the stack. Default: this folder, or the only stack below its cdktf.out." },
    { name: "cluster", value: "NAME", help: "Which cluster, when the stack has several." },
    { name: "computer", help: "Look at this computer, also in the folder of a stack." },
    { name: "json", help: "One JSON object instead of text." },
  ],
  async run(flags, io) {
    const named = first(flags, "stack");
    const asked = named !== undefined || has(flags, "cluster");
    if (has(flags, "computer") && asked) throw new UserError("--computer looks at this computer and takes neither --stack nor --cluster.");
    const here = resolve(io.cwd, named ?? ".");
    const wanted = asked || (!has(flags, "computer") && holdsStack(here));
    const found = wanted ? await stackOf(here, flags, io, asked) : undefined;
    return found ? cluster(found, has(flags, "json"), io) : computer(io, has(flags, "json"));
  },
};
