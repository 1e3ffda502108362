// Events as text for people. Pure.
import { bar } from "./bar.js";
import type { ConvergeEvent } from "./event.js";
import { type Action, type Change, isEmpty, type Machine } from "./plan-view.js";

const verbs: Readonly<Record<Action, string>> = {
  create: "creates",
  update: "changes",
  delete: "destroys",
  replace: "replaces",
  forget: "forgets",
};
const order: readonly Action[] = ["delete", "replace", "create", "update", "forget"];
/** A plan of hundreds is read in terraform, not here; what is destroyed is always shown. */
const mostShown = 20;

export interface Screen {
  /** Bars are drawn. */
  readonly terminal: boolean;
}

export function eventLines(event: ConvergeEvent, screen: Screen): readonly string[] {
  switch (event.event) {
    case "plan":
      return planLines(event, screen);
    case "question":
      return questionLines(event.destroys);
    case "note":
      return [`      ${event.text}`];
    case "apply":
      return [`[${event.round}] apply  ${event.ok ? "applied" : "failed"} (${event.seconds} s)`];
    case "wait":
      return [`      ${event.reason}`, `      looking again in ${event.seconds} s`];
    case "stopping":
      return ["      stopping when this apply has ended; press ctrl-C again to interrupt terraform"];
    case "result":
      return resultLines(event);
    default:
      return event satisfies never;
  }
}

function planLines(event: Extract<ConvergeEvent, { event: "plan" }>, screen: Screen): readonly string[] {
  const { round, seconds, changes, warnings, machines } = event;
  const what = isEmpty(event) ? "nothing to change" : summary(changes);
  const sorted = [...changes].sort((a, b) => order.indexOf(a.action) - order.indexOf(b.action) || (a.address < b.address ? -1 : 1));
  const destructive = sorted.filter(({ action }) => action === "delete" || action === "replace").length;
  const shown = sorted.slice(0, Math.max(mostShown, destructive));
  const rest = sorted.length - shown.length;
  return [
    `[${round}] plan   ${what} (${seconds} s)`,
    ...shown.map(({ action, address }) => `      ${verbs[action].padEnd(8)} ${address}`),
    ...(rest > 0 ? [`      and ${rest} more, see the log`] : []),
    ...warnings.map((text) => `      warning: ${text}`),
    ...progressLines(machines, screen),
  ];
}

function summary(changes: readonly Change[]): string {
  if (changes.length === 0) return "only outputs change";
  const count = (...actions: Action[]): number => changes.filter(({ action }) => actions.includes(action)).length;
  return `${count("create", "replace")} to add, ${count("update")} to change, ${count("delete", "replace")} to destroy`;
}

/** One line a pool that has something to do; one for all when nothing has. */
function progressLines(machines: readonly Machine[], { terminal }: Screen): readonly string[] {
  if (machines.length === 0) return [];
  const pools = [...new Set(machines.map(({ cluster, pool }) => `${cluster}/${pool}`))];
  const behind = pools.filter((pool) => machines.some((m) => `${m.cluster}/${m.pool}` === pool && !m.done));
  const column = Math.max(3, ...behind.map((pool) => pool.length));
  const line = (name: string, members: readonly Machine[]): string => {
    const done = members.filter((m) => m.done).length;
    const drawn = terminal ? `${bar(done, members.length)} ` : "";
    const named = (what: string, list: readonly Machine[]): string => (list.length > 0 ? `; ${what}: ${names(list)}` : "");
    const count = `${done} of ${members.length} ${members.length === 1 ? "machine" : "machines"} on the new release`;
    return `      ${name.padEnd(column)}  ${drawn}${count}${named(
      "now",
      members.filter((m) => m.now),
    )}${named(
      "waiting",
      members.filter((m) => m.waits),
    )}`;
  };
  if (behind.length === 0) return [line("all", machines)];
  return behind.map((pool) =>
    line(
      pool,
      machines.filter((m) => `${m.cluster}/${m.pool}` === pool),
    ),
  );
}

function names(machines: readonly Machine[]): string {
  const sorted = machines.map((m) => m.name).sort();
  return sorted.length > 8 ? `${sorted.slice(0, 7).join(", ")} and ${sorted.length - 7} more` : sorted.join(", ");
}

function questionLines(destroys: readonly { readonly address: string; readonly action: Action }[]): readonly string[] {
  if (destroys.length === 0) return [];
  return ["      this is no part of a roll:", ...destroys.map(({ action, address }) => `      ${verbs[action].padEnd(8)} ${address}`)];
}

function resultLines({ result, reason, applies, seconds }: Extract<ConvergeEvent, { event: "result" }>): readonly string[] {
  const after = `${applies} ${applies === 1 ? "apply" : "applies"}, ${seconds} s`;
  const said = reason === undefined ? "" : `: ${reason}`;
  switch (result) {
    case "done":
      return [`Done: nothing is pending and the plan is empty (${after}).`];
    case "stopped":
      return [`Stopped${said}`, `(${after}) Run the same command again when that is mended.`];
    case "failed":
      return [`Failed: ${reason ?? ""}`, `(${after}) What was applied stays; run the same command again to go on.`];
    case "interrupted":
      return [`Interrupted (${after})${said}`, "Run the same command again to go on."];
    default:
      return result satisfies never;
  }
}
