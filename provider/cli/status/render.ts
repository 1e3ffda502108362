// The report as aligned text. Pure.
import type { StatusReport } from "./report.js";
import { ago, short, table } from "./words.js";

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
      n.version ?? "-",
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
    table(["", ""], rows(report)).slice(1),
    report.problems.map(({ severity, text }) => `${severity === "problem" ? "!" : "-"} ${text}`),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function rows({ complete, torn_down, lease, pending, window, api_error }: StatusReport): readonly (readonly string[])[] {
  const handed = complete === null ? "unknown" : torn_down ? "being torn down" : complete ? "yes" : "no";
  const waiting = pending.length === 0 ? "nothing" : pending.map(({ name, release }) => `${name} (${short(release)})`).join(", ");
  const held =
    lease === null ? (api_error === null ? "free" : "unknown") : `${lease.holder}, ${lease.age_sec} s${lease.drained ? ", drained" : ""}`;
  return [
    ["handed over", handed],
    ["roll lease", held],
    ["pending", waiting],
    ["window", windowText(window)],
  ];
}

function windowText(window: StatusReport["window"]): string {
  if (window === null) return "always open";
  const days = window.days.length === 0 ? "every day" : window.days.join(", ");
  const when = `${days} at ${String(window.hour).padStart(2, "0")}:00 ${window.timezone}, ${window.duration_hours} h`;
  return window.open ? `open (${when})` : `closed (${when})${window.opens === null ? "" : `, opens at ${window.opens}`}`;
}
