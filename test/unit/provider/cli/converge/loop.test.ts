// The whole loop against a terraform that plays a script.
import { describe, expect, it } from "vitest";
import type { Rules } from "../../../../../provider/cli/converge/decide.js";
import type { ConvergeEvent } from "../../../../../provider/cli/converge/event.js";
import { converge, type Planned, type Ran } from "../../../../../provider/cli/converge/loop.js";
import type { PlanView } from "../../../../../provider/cli/converge/plan-view.js";
import { change, roll, view } from "./plans.js";

interface Step {
  readonly plan?: PlanView;
  readonly planErrors?: readonly string[];
  readonly warnings?: readonly string[];
  readonly applyErrors?: readonly string[];
  /** Ctrl-C at that moment. */
  readonly press?: "plan" | "apply" | "apply twice";
}
interface Played {
  readonly code: number;
  readonly events: readonly ConvergeEvent[];
  /** "plan", "apply", "ask", "sleep" in order. */
  readonly calls: readonly string[];
}

async function play(
  steps: readonly Step[],
  options: { readonly rules?: Partial<Rules>; readonly answers?: readonly (string | undefined)[]; readonly pressAt?: "ask" | "sleep" } = {},
): Promise<Played> {
  const calls: string[] = [];
  const events: ConvergeEvent[] = [];
  const first = new AbortController();
  const second = new AbortController();
  const answers = [...(options.answers ?? ["yes", "yes", "yes"])];
  let at = -1;
  let planned: Step | undefined;
  const code = await converge({
    runner: {
      async plan(): Promise<Ran<Planned>> {
        calls.push("plan");
        planned = steps[++at];
        if (!planned) throw new Error("the script is over");
        if (planned.press === "plan") first.abort();
        if (planned.planErrors) return { ok: false, errors: planned.planErrors };
        const warnings = planned.warnings ?? [];
        return { ok: true, value: { view: planned.plan ?? view(), warnings, reasons: warnings } };
      },
      async apply(): Promise<Ran<undefined>> {
        calls.push("apply");
        if (planned?.press?.startsWith("apply")) first.abort();
        if (planned?.press === "apply twice") second.abort();
        if (second.signal.aborted) return { ok: false, errors: ["interrupted"] };
        return planned?.applyErrors ? { ok: false, errors: planned.applyErrors } : { ok: true, value: undefined };
      },
    },
    rules: { limit: 100, yes: false, allowDestroy: false, ...options.rules },
    tell: (event) => events.push(event),
    ask: async () => {
      calls.push("ask");
      if (options.pressAt === "ask") first.abort();
      first.signal.throwIfAborted();
      return answers.shift();
    },
    signal: first.signal,
    pauseMs: 30_000,
    sleep: async () => {
      calls.push("sleep");
      if (options.pressAt === "sleep") first.abort();
    },
    now: () => 0,
  });
  return { code, events, calls };
}

const blocked: Step = { plan: view({ pending: 2 }), warnings: ["nobody takes a new release now: etcd member c does not answer."] };
const full: readonly Step[] = [0, 1, 2].map((n) => ({ plan: roll(n) }));
const end: Step = {};
const result = ({ events }: Played) => events.at(-1);

describe("to the end", () => {
  it.each<[string, readonly Step[], Parameters<typeof play>[1], number, string]>([
    ["nothing to do", [end], {}, 0, "plan"],
    ["three machines: one question", [...full, end], {}, 0, "plan ask apply plan apply plan apply plan"],
    ["none with --yes", [...full, end], { rules: { yes: true } }, 0, "plan apply plan apply plan apply plan"],
    [
      "blocked for a moment",
      [full[0] ?? {}, blocked, full[1] ?? {}, full[2] ?? {}, end],
      {},
      0,
      "plan ask apply plan sleep plan apply plan apply plan",
    ],
    [
      "blocked twice, not in a row",
      [blocked, full[0] ?? {}, blocked, full[1] ?? {}, end],
      { rules: { yes: true } },
      0,
      "plan sleep plan apply plan sleep plan apply plan",
    ],
    ["blocked", [full[0] ?? {}, blocked, blocked], {}, 2, "plan ask apply plan sleep plan"],
    ["an answer that is not yes", [...full], { answers: ["y"] }, 2, "plan ask"],
    ["nobody to ask", [...full], { answers: [undefined] }, 2, "plan ask"],
    ["a gate that refuses", [{ plan: roll(0), applyErrors: ["a was not taken down (honest_node.a)\nBecause."] }], {}, 2, "plan ask apply"],
    ["an apply that fails", [full[0] ?? {}, { plan: roll(1), applyErrors: ["quota"] }], {}, 1, "plan ask apply plan apply"],
    ["a plan that fails", [full[0] ?? {}, { planErrors: ["Invalid reference"] }], {}, 1, "plan ask apply plan"],
    ["the limit", [...full], { rules: { limit: 2, yes: true } }, 2, "plan apply plan apply plan"],
    [
      "a disk is asked for in the middle",
      [full[0] ?? {}, { plan: view({ changes: [change("honest_local_disk.a", "delete")] }) }, end],
      {},
      0,
      "plan ask apply plan ask apply plan",
    ],
    [
      "and refused when nobody is there",
      [{ plan: view({ changes: [change("honest_local_disk.a", "delete")] }) }],
      { rules: { yes: true }, answers: [undefined] },
      2,
      "plan ask",
    ],
    ["ctrl-C at plan", [{ plan: roll(0), press: "plan" }], {}, 130, "plan"],
    ["ctrl-C at plan, which fails of it", [{ planErrors: ["interrupted"], press: "plan" }], {}, 130, "plan"],
    ["ctrl-C at the question", [...full], { pressAt: "ask" }, 130, "plan ask"],
    ["ctrl-C while it waits", [blocked, blocked], { pressAt: "sleep" }, 130, "plan sleep"],
    [
      "ctrl-C at apply: it is finished, the next is not begun",
      [full[0] ?? {}, { plan: roll(1), press: "apply" }, full[2] ?? {}],
      {},
      130,
      "plan ask apply plan apply",
    ],
    ["two ctrl-C at apply", [full[0] ?? {}, { plan: roll(1), press: "apply twice" }, full[2] ?? {}], {}, 130, "plan ask apply plan apply"],
  ])("%s", async (_, steps, options, code, calls) => {
    const played = await play(steps, options);
    expect(played.calls.join(" ")).toBe(calls);
    expect(played.code).toBe(code);
    expect(result(played)).toMatchObject({ event: "result", exit_code: code });
  });
});

it("has told of each plan before it applies it", async () => {
  const { events, calls } = await play([...full, end]);
  expect(events.map((e) => e.event)).toEqual(["plan", "question", "apply", "plan", "apply", "plan", "apply", "plan", "result"]);
  expect(calls.filter((call) => call === "apply")).toHaveLength(3);
});

it("gives the reason it stopped for", async () => {
  expect(result(await play([blocked, blocked]))).toMatchObject({
    result: "stopped",
    reason: expect.stringContaining("etcd member c does not answer"),
  });
  expect(result(await play([{ plan: roll(0), applyErrors: ["a was not taken down\nb is on its way."] }]))).toMatchObject({
    result: "stopped",
    reason: expect.stringContaining("b is on its way"),
  });
  expect(
    result(
      await play([{ plan: view({ changes: [change("aws_db_instance.db", "replace")] }) }], { rules: { yes: true }, answers: [undefined] }),
    ),
  ).toMatchObject({
    reason: expect.stringMatching(/replaces aws_db_instance.db.*--allow-destroy/),
  });
});

it("says what ctrl-C does while terraform applies", async () => {
  const { events } = await play([{ plan: roll(0), press: "apply" }]);
  expect(events.map((e) => e.event)).toEqual(["plan", "question", "stopping", "apply", "result"]);
});
