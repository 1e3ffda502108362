// honest_barrier: the hand-over of a cluster, its cluster-wide parts, and its clean end.
import { isSupported, supportedVersions } from "../../constructs/spec/version.js";
import { type Diagnostic, error, warning } from "../framework/diagnostic.js";
import type {
  ApplyRequest,
  Context,
  DeleteRequest,
  PlanRequest,
  PlanResponse,
  ReadRequest,
  Resource,
  StateResponse,
} from "../framework/resource.js";
import { type ObjectValue, unknown } from "../framework/value.js";
import { readFacts } from "../kube/facts.js";
import { type Failure, type Outcome, wordFailure } from "../kube/outcome.js";
import { wordMissing } from "../kube/wait-ready.js";
import { backupProblems } from "./barrier/backup.js";
import { allBirths, birthsOf } from "./barrier/births.js";
import { certificatePolicy, certificateProblems, certificateWarnings } from "./barrier/certificates.js";
import { type Converged, converge, type NotConverged } from "./barrier/converge.js";
import { coreKubernetes, coreOf } from "./barrier/core.js";
import { healthWarnings } from "./barrier/health.js";
import { type BarrierInput, barrierInput, barrierSchema } from "./barrier/schema.js";
import { snapshotWarnings } from "./barrier/snapshots.js";
import { teardown } from "./barrier/teardown.js";
import { refusedVersions, seenVersions, versionsIn } from "./barrier/versions.js";
import { badTimeouts, text, timeoutMs } from "./cluster/decode.js";
import { clusterClient, clusterFacts, clusterMarks } from "./cluster/session.js";
import { badTimeout, capital, consoleHint, unreachableWarning } from "./cluster/words.js";

export const honestBarrier: Resource = {
  name: "honest_barrier",
  schema: barrierSchema,

  async validate({ config }) {
    const oneOf = (name: string, allowed: readonly string[]): readonly Diagnostic[] => {
      const got = text(config[name]);
      return got === null || allowed.includes(got)
        ? []
        : [error(`Not a value of ${name}`, `${name} is ${JSON.stringify(got)}. Allowed: ${allowed.join(", ")}.`, [name])];
    };
    const version = text(config.version);
    return [
      ...(version === null || isSupported(version) ? [] : [unknownVersion(version)]),
      ...oneOf("cni", ["kube-router", "none"]),
      ...oneOf("pod_traffic", ["routed", "tunnelled"]),
      ...oneOf("on_destroy_volumes", ["keep", "delete"]),
      ...certificateProblems(config),
      ...backupProblems(config),
      ...badTimeouts(config).map(({ verb, got }) => badTimeout(verb, got)),
    ];
  },

  async plan({ prior, proposed, private: seen }: PlanRequest, context): Promise<PlanResponse> {
    if (proposed === null) return { planned: null, private: { ...seen, how: "leave" } };
    const kubernetes = text(proposed.version);
    const versions = seenVersions(seen);
    const refused = refusedVersions(prior, proposed, versions);
    if (refused.length > 0) return { planned: prior ?? proposed, diagnostics: refused };
    const core =
      kubernetes === null ? undefined : await coreOf(proposed, coreKubernetes(kubernetes, Object.values(versions.running)), context);
    const planned: ObjectValue = {
      ...proposed,
      id: proposed.cluster ?? unknown,
      complete: true,
      cluster_uid: prior?.cluster_uid ?? unknown,
      api_endpoint: (proposed.access as ObjectValue | null)?.endpoint ?? unknown,
      core_version: core?.version ?? unknown,
      agent_sha256: core?.agentSha256 ?? unknown,
    };
    return { planned, private: { ...versions, ...(prior === null ? birthsOf(proposed, context) : {}) } };
  },

  create: (request, context) => handOver(request, context, "create"),
  update: (request, context) => handOver(request, context, "update"),

  async read({ state, private: seen }: ReadRequest, context): Promise<StateResponse> {
    const input = barrierInput(state);
    // Handed over once: from now on an API that does not answer is an outage and no birth, for everybody in this process.
    if (state.complete === true) clusterMarks(context, input.access).complete = true;
    const facts = await clusterFacts(context, input.access);
    if (!facts.ok) return { state, private: seen, diagnostics: [unreachableWarning(input.cluster, input.access.endpoint, facts.failure)] };
    const { complete, tornDown, nodes } = facts.value;
    const versions = versionsIn(nodes, Object.keys(input.members));
    const now = Date.now();
    const diagnostics = tornDown
      ? []
      : [
          ...certificateWarnings(input.cluster, nodes, certificatePolicy(state), now),
          ...snapshotWarnings(input.cluster, nodes, now),
          ...healthWarnings(input.cluster, nodes),
        ];
    return { state: { ...state, complete: complete && !tornDown }, private: { ...versions }, diagnostics };
  },

  async delete({ prior, private: marks }: DeleteRequest, context): Promise<StateResponse> {
    // Replaced, tainted or moved: the cluster lives on and the next create finds it handed over.
    if (marks.how !== "leave") return { state: null };
    const input = barrierInput(prior);
    if (prior.deletion_protection !== false) return { state: prior, diagnostics: [protectedError(input.cluster)] };
    // In this process first: the gates open even when the API is gone.
    clusterMarks(context, input.access).tornDown = true;
    const left = await teardown(clusterClient(context, input.access), {
      volumes: prior.on_destroy_volumes === "delete" ? "delete" : "keep",
      deadline: Date.now() + timeoutMs(prior, "delete", "10m"),
      signal: context.signal,
      log: (message) => context.log("info", message, { cluster: input.cluster }),
    });
    if (left === undefined) return { state: null };
    if (left.failure.kind === "unreachable") {
      const text = `${capital(wordFailure(left.failure))}. The cluster's machines are destroyed all the same; look at the cloud for balancers and volumes that Kubernetes had made.`;
      return { state: null, diagnostics: [warning(`Cluster ${input.cluster} does not answer while it is torn down`, text)] };
    }
    return {
      state: prior,
      diagnostics: [
        error(
          `Cluster ${input.cluster} is not torn down`,
          `${capital(wordFailure(left.failure))} (${left.step}). Nothing else was destroyed; run the destroy again.`,
        ),
      ],
    };
  },

  importRefused: "Apply the configuration instead: the barrier finds a cluster that has been handed over and changes nothing in it.",
};

async function handOver(
  { prior, planned, private: seen }: ApplyRequest,
  context: Context,
  verb: "create" | "update",
): Promise<StateResponse> {
  const input = barrierInput(planned);
  const client = clusterClient(context, input.access);
  const deadline = Date.now() + timeoutMs(planned, verb, "30m");
  const log = (message: string) => context.log("info", message, { cluster: input.cluster });
  const fail = (diagnostic: Diagnostic): StateResponse => ({ state: prior, diagnostics: [diagnostic] });

  // What the plan promised is what is applied, whatever moved in between.
  const core = await coreOf(planned, coreKubernetes(input.version, Object.values(seenVersions(seen).running)), context);
  if (!core) return fail(unknownVersion(input.version));
  const marks = clusterMarks(context, input.access);
  const births = allBirths(seen, marks.births, input);
  const rotates = text(prior?.rotation) !== input.rotation;
  const outcome: Outcome<Converged> = await converge(client, input, core, { deadline, signal: context.signal, log, births, rotates });
  if (!outcome.ok) return fail(notHandedOver(input, outcome.failure));
  marks.complete = true;
  marks.births.clear();

  const facts = await readFacts(client, context.signal);
  const versions = facts.ok ? versionsIn(facts.value.nodes, Object.keys(input.members)) : seenVersions(seen);
  const state: ObjectValue = {
    ...planned,
    id: input.cluster,
    complete: true,
    cluster_uid: outcome.value.clusterUid,
    core_version: core.version,
    api_endpoint: input.access.endpoint,
    agent_sha256: core.agentSha256,
  };
  const { silent, dns } = outcome.value;
  const diagnostics = [...(silent.length === 0 ? [] : [silentAgents(input, silent)]), ...(dns === null ? [] : [lateDns(input, dns)])];
  return { state, private: { ...versions }, diagnostics };
}

const protectedError = (cluster: string): Diagnostic =>
  error(
    `Cluster ${cluster} is protected from deletion`,
    `honest_barrier of ${cluster} has deletion_protection = true, so nothing was torn down. To destroy the cluster set deletion_protection = false, apply, then destroy. ` +
      "A destroy with -target of one machine or node drags the barrier along, since it depends on every block: to remove one machine take it out of the configuration instead.",
  );

function notHandedOver(input: BarrierInput, failure: Failure): Diagnostic {
  const { missing = [] } = failure as NotConverged;
  const who = missing.length === 0 ? "" : ` These machines did not come: ${wordMissing(missing)}.`;
  const why = missing.length === 0 ? capital(wordFailure(failure)) : "The time is over";
  return error(
    `Cluster ${input.cluster} was not handed over`,
    `${why}.${who} What is there stays; the next apply goes on where this one ended. ${consoleHint}`,
  );
}

const unknownVersion = (version: string): Diagnostic =>
  error(
    "Unknown Kubernetes version",
    `version is ${JSON.stringify(version)}. This release of honest-paas knows ${supportedVersions.join(", ")}.`,
    ["version"],
  );

const silentAgents = (input: BarrierInput, names: readonly string[]): Diagnostic =>
  warning(
    `Agents of cluster ${input.cluster} are silent`,
    `All nodes are Ready, but the agents on ${names.join(", ")} have not reported. Until they do, nothing that needs the cluster's health moves. ${consoleHint}`,
  );

const lateDns = (input: BarrierInput, why: string): Diagnostic =>
  warning(
    `The DNS of cluster ${input.cluster} does not answer yet`,
    `${capital(why)}. The cluster is handed over; names of services will not resolve until it does: kubectl -n kube-system get pods -l k8s-app=kube-dns`,
  );
