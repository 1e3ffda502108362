// The report as aligned text. Pure.
import type { AvailabilityReport, SpanReport } from "./availability.js";
import type { StatusReport } from "./report.js";
import { snapshotLines } from "./snapshots.js";
import { ago, short, span, table } from "./words.js";

const yes = (is: boolean): string => (is ? "yes" : "NO");

export function statusText(report: StatusReport): string {
  const now = Date.parse(report.at);
  const since = (at: string | null): string => (at === null ? "-" : ago(at, now));
  const version = report.version === null ? "" : `  Kubernetes ${report.version}`;
  const members = table(
    ["ETCD", "STATE", "LEADER", "REPORTED"],
    report.members.map((m) => [
      m.name,
      m.state === "answers" ? "answers" : m.state.toUpperCase(),
      m.leader === null ? "-" : m.leader ? "yes" : "",
      since(m.reported_at),
    ]),
  );
  const nodes = table(
    ["NODE", "POOL", "VERSION", "RELEASE", "READY", "AGENT", "STAGE", "UP"],
    report.nodes.map((n) => [
      n.name,
      n.pool || "-",
      versions(n),
      n.release === null ? "-" : short(n.release),
      `${yes(n.ready)}${n.unschedulable ? ", cordoned" : ""}`,
      n.agent_fresh ? since(n.agent_at) : `SILENT ${since(n.agent_at)}`,
      n.stage?.split(":")[0] ?? "-",
      since(n.booted_at),
    ]),
  );
  const certificates = table(
    ["CERTIFICATE", "ENDS", "SEEN IN"],
    report.certificates.map((c) => [
      c.name,
      c.not_after.replace("T", " ").replace(/:\d\dZ$/, "Z"),
      c.source === "state" ? "state" : c.trusted ? "handshake" : "handshake, NOT TRUSTED",
    ]),
  );
  const sections = [
    [`${report.cluster}${version}  ${report.endpoint}  ${report.verdict}`],
    ...(report.members.length > 0 ? [members] : []),
    ...(report.nodes.length > 0 ? [nodes] : []),
    ...(report.certificates.length > 0 ? [certificates] : []),
    ...(report.availability.length > 0 ? [availabilityTable(report.availability)] : []),
    snapshotLines(report.snapshots, report.at),
    table(["", ""], rows(report)).slice(1),
    report.problems.map(({ severity, text }) => `${severity === "problem" ? "!" : "-"} ${text}`),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** One number when all of a node is of one version. */
function versions({ version, api_server, kube_proxy }: StatusReport["nodes"][number]): string {
  const others = [
    ...(api_server !== null && api_server !== version ? [`API server ${api_server}`] : []),
    ...(kube_proxy !== null && kube_proxy !== version ? [`kube-proxy ${kube_proxy}`] : []),
  ];
  return [version ?? "-", ...others].join(", ");
}

const availabilityTable = (reports: readonly AvailabilityReport[]): readonly string[] =>
  table(
    ["API SEEN BY", "LAST", "MEDIAN", "WORST", "LONGEST GAP", "MEASURED"],
    reports.flatMap((report) => [availabilityRow(report, "day"), availabilityRow(report, "month")]),
  );

function availabilityRow(report: AvailabilityReport, name: "day" | "month"): readonly string[] {
  const spanOf: SpanReport | null = report[name];
  const who = `${report.nodes} ${report.seen_from}${report.nodes === 1 ? "" : "s"} (${report.asks})`;
  if (spanOf === null) return [name === "day" ? who : "", name, "-", "-", "-", "-"];
  const { median_percent, worst_percent, worst_node, longest_gap_seconds, since, measured_percent } = spanOf;
  return [
    name === "day" ? who : "",
    name,
    `${median_percent} %`,
    `${worst_percent} %${report.nodes > 1 ? ` ${worst_node}` : ""}`,
    // minutes would hide how long a short one was
    longest_gap_seconds < 600 ? `${longest_gap_seconds} s` : span(longest_gap_seconds * 1000),
    `${measured_percent} % since ${since.slice(0, 16).replace("T", " ")}Z`,
  ];
}

function rows({
  complete,
  torn_down,
  lease,
  pending,
  window,
  api_error,
  nearest_expiry,
  at,
}: StatusReport): readonly (readonly string[])[] {
  const handed = complete === null ? "unknown" : torn_down ? "being torn down" : complete ? "yes" : "no";
  const waiting = pending.length === 0 ? "nothing" : pending.map(({ name, release }) => `${name} (${short(release)})`).join(", ");
  const held =
    lease === null ? (api_error === null ? "free" : "unknown") : `${lease.holder}, ${lease.age_sec} s${lease.drained ? ", drained" : ""}`;
  return [
    ["handed over", handed],
    ["roll lease", held],
    ["pending", waiting],
    ["window", windowText(window)],
    ...(nearest_expiry === null ? [] : [["next to end", expiryText(nearest_expiry, Date.parse(at))]]),
  ];
}

function expiryText({ node, name, not_after }: NonNullable<StatusReport["nearest_expiry"]>, now: number): string {
  const left = Date.parse(not_after) - now;
  return `${name} on ${node}, ${left > 0 ? `in ${span(left)}` : `${ago(not_after, now)} AGO`} (${not_after})`;
}

function windowText(window: StatusReport["window"]): string {
  if (window === null) return "always open";
  const days = window.days.length === 0 ? "every day" : window.days.join(", ");
  const when = `${days} at ${String(window.hour).padStart(2, "0")}:00 ${window.timezone}, ${window.duration_hours} h`;
  return window.open ? `open (${when})` : `closed (${when})${window.opens === null ? "" : `, opens at ${window.opens}`}`;
}
