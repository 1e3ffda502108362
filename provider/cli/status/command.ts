// honest-paas status: how a cluster is, from its state, its API and its certificates.
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readSnapshot } from "../../kube/facts.js";
import { wordFailure } from "../../kube/outcome.js";
import { type Command, type FlagValues, first, has, type Io } from "../command.js";
import { type ClusterAccess, chooseCluster, clustersIn } from "../kubeconfig/access.js";
import { clientOf } from "../kubeconfig/client.js";
import { pullState, type State, stackFolder } from "../terraform/state.js";
import { clusterState } from "./from-state.js";
import { statusText } from "./render.js";
import { reportOf, type StatusReport } from "./report.js";
import { readVersions } from "./running.js";
import { servedCertificates } from "./served.js";

const watchMs = 5_000;
const clearScreen = "\u001b[H\u001b[2J";
const exitCodes = { healthy: 0, unreadable: 1, trouble: 2 } as const;

export async function readStatus(state: State, access: ClusterAccess, signal: AbortSignal): Promise<StatusReport> {
  const known = clusterState(state, access.cluster);
  const client = clientOf(access);
  try {
    const members = known.machines.filter((machine) => machine.role === "control-plane").length;
    const [snapshot, served, running] = await Promise.all([
      readSnapshot(client, signal),
      servedCertificates(access.endpoint, members),
      readVersions(client, signal),
    ]);
    signal.throwIfAborted();
    return reportOf({
      cluster: access.cluster,
      endpoint: access.endpoint,
      state: known,
      snapshot: snapshot.ok ? snapshot.value : wordFailure(snapshot.failure),
      served,
      running,
      now: Date.now(),
    });
  } finally {
    await client.close();
  }
}

async function run(flags: FlagValues, io: Io): Promise<number> {
  const folder = stackFolder(resolve(io.cwd, first(flags, "stack") ?? "."));
  const look = async (): Promise<StatusReport> => {
    const state = await pullState(folder, io.env);
    return readStatus(state, chooseCluster(clustersIn(state), first(flags, "cluster"), folder), io.signal);
  };
  const json = has(flags, "json");
  const watched = has(flags, "watch");
  const show = (report: StatusReport): void => {
    if (json) io.out(`${JSON.stringify(report)}\n`);
    else io.out(`${watched && io.terminal ? clearScreen : ""}${watched ? `${report.at}  ` : ""}${statusText(report)}`);
  };

  let report = await look();
  show(report);
  while (watched) {
    try {
      await pause(watchMs, undefined, { signal: io.signal });
      report = await look();
    } catch (cause) {
      // ctrl-C is the way out of a watch, and no fault
      if (io.signal.aborted) break;
      throw cause;
    }
    show(report);
  }
  return exitCodes[report.verdict];
}

export const status: Command = {
  name: "status",
  summary:
    "Says how the cluster of a stack is: etcd members, nodes, versions, releases, certificates, snapshots, availability, what is pending, and what is wrong.",
  details: [
    "It reads the stack's state through terraform and the cluster through its API, and changes nothing. Each problem is one line that names its cause.",
    "Exit code: 0 healthy, 1 it cannot be read, 2 something is wrong.",
  ],
  flags: [
    { name: "stack", value: "FOLDER", help: "Folder of the stack. Default: this folder, or the only stack below its cdktf.out." },
    { name: "cluster", value: "NAME", help: "Which cluster, when the stack has several." },
    { name: "json", help: "One JSON object instead of text; with --watch one a line." },
    { name: "watch", help: "Look again every 5 seconds until ctrl-C." },
  ],
  run,
};
