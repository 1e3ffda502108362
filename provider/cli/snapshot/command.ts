// honest-paas snapshot list and verify.
import type { Stored } from "../../backup/target.js";
import { type Command, type FlagValues, first, has, type Io, UserError } from "../command.js";
import { atTarget, type ListedSnapshot, type Looked, listText, merged, onDisks, type SnapshotList } from "./list.js";
import { type Known, keysHelp, knownOf, type Place, passphraseVariable, placeFlags, placeOf, targetOf } from "./place.js";

const notFailing = async <T>(work: () => Promise<T>, otherwise: T): Promise<{ readonly value: T; readonly looked: Looked }> => {
  try {
    return { value: await work(), looked: null };
  } catch (cause) {
    // what was foreseen is said in the list; a bug is a bug
    if (cause instanceof Error && (cause instanceof UserError || /Failed\d*$/.test(cause.constructor.name)))
      return { value: otherwise, looked: cause.message };
    throw cause;
  }
};

async function readDisks(known: Known, io: Io): Promise<readonly ListedSnapshot[]> {
  const { state, folder, cluster } = known;
  if (state === null) throw new UserError("no state was read, so the cluster is not known");
  const { chooseCluster, clustersIn } = await import("../kubeconfig/access.js");
  const { clientOf } = await import("../kubeconfig/client.js");
  const { wordFailure } = await import("../../kube/outcome.js");
  const client = clientOf(chooseCluster(clustersIn(state), cluster ?? undefined, folder));
  try {
    const nodes = await client.list("v1", "Node", { signal: io.signal, timeoutMs: 10_000 });
    if (!nodes.ok) throw new UserError(wordFailure(nodes.failure));
    return onDisks(nodes.value);
  } finally {
    await client.close();
  }
}

async function readTarget(place: Place, io: Io): Promise<readonly Stored[]> {
  const { storedSnapshots } = await import("../../backup/target.js");
  return storedSnapshots(place.s3, place.below, io.signal);
}

async function list(flags: FlagValues, io: Io): Promise<number> {
  const known = await knownOf(flags, io);
  const place = placeOf(flags, io, known);
  const [disks, target] = await Promise.all([
    known.state === null ? { value: [], looked: null } : notFailing(() => readDisks(known, io), []),
    place === undefined
      ? { value: [], looked: "the configuration names none (backup.target), so nothing leaves the cluster" }
      : notFailing(() => readTarget(place, io), []),
  ]);
  io.signal.throwIfAborted();
  const found: SnapshotList = {
    format: 1,
    cluster: known.cluster,
    disks: disks.looked,
    target: target.looked,
    snapshots: merged(disks.value, atTarget(target.value)),
  };
  io.out(has(flags, "json") ? `${JSON.stringify(found)}\n` : listText(found));
  const unread = (place !== undefined && target.looked !== null) || (place === undefined && disks.looked !== null);
  return unread ? 1 : found.snapshots.some(({ problem }) => problem !== null) ? 2 : 0;
}

export const snapshotList: Command = {
  name: "snapshot list",
  summary: "Lists the snapshots of etcd: on the control planes' disks and at the target.",
  details: [
    "The disks are asked of the cluster, the target is read itself: it works when the cluster is gone, and with --endpoint and --bucket also without a state.",
    keysHelp,
    "Exit code: 0 read, 1 the target (or without one the cluster) cannot be read, 2 a snapshot at the target cannot be used.",
    "  honest-paas snapshot list\n  honest-paas snapshot list --endpoint https://s3.example.com --bucket backups --prefix clusters",
  ],
  flags: [...placeFlags, { name: "json", help: "One JSON object instead of text." }],
  run: list,
};

async function verify(flags: FlagValues, io: Io): Promise<number> {
  const known = await knownOf(flags, io);
  const place = targetOf(flags, io, known, "The agents verify what is on the disks (honest-paas status)");
  const { passphrase } = place;
  if (!passphrase) throw new UserError(`The passphrase is missing: put it into ${passphraseVariable}.`);
  const { chosenAt } = await import("./chosen.js");
  const chosen = await chosenAt(place, first(flags, "id"), io.signal);
  const { verifyIn } = await import("./verify.js");
  const result = await verifyIn(place.s3, chosen, passphrase, io);
  io.out(
    has(flags, "json")
      ? `${JSON.stringify({ format: 1, ...result })}\n`
      : `${result.id} is good: ${result.keys} keys at revision ${result.revision}, Kubernetes ${result.version}, taken by ${result.node}; read by ${result.read_by.join(", ")}\n`,
  );
  return 0;
}

export const snapshotVerify: Command = {
  name: "snapshot verify",
  summary: "Fetches a snapshot from the target and tries it: sums, seal, and etcd's own reader where there is one.",
  details: [
    "It changes nothing. What it fetches stands in a folder of the temporary directory that only you can read, and goes when it ends.",
    keysHelp,
    "etcdutl is taken from PATH, or from the cache of machine images; without it the file is proven by the sums that were sealed when etcd had read it.",
    "  honest-paas snapshot verify\n  honest-paas snapshot verify --id 20261130T120000Z-prod-cp-a",
  ],
  flags: [
    ...placeFlags,
    { name: "id", value: "ID", help: "Which one, as snapshot list names it. Default the newest at the target." },
    { name: "json", help: "One JSON object instead of text." },
  ],
  run: verify,
};
