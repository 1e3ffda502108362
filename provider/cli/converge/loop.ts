// Plan, show, ask, apply, again. Talks to terraform, a person and a clock through its parameters only.
import { beginning, decide, idled, isRefusal, type Past, type Rules, went } from "./decide.js";
import type { ConvergeEvent, Result } from "./event.js";
import { type PlanView, unexpected } from "./plan-view.js";

export interface Planned {
  readonly view: PlanView;
  /** Terraform's warnings, each once. */
  readonly warnings: readonly string[];
  /** Those that say who waits for what. */
  readonly reasons: readonly string[];
}
/** `errors`: terraform's words, one text for each. */
export type Ran<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly string[] };

export interface TerraformRunner {
  /** Makes and saves a plan. Ctrl-C ends it at once. */
  plan(): Promise<Ran<Planned>>;
  /** Applies what `plan` saved and nothing else. Only the second ctrl-C reaches terraform. */
  apply(): Promise<Ran<undefined>>;
}

export interface Surroundings {
  readonly runner: TerraformRunner;
  readonly rules: Rules;
  readonly tell: (event: ConvergeEvent) => void;
  /** undefined = nobody can be asked. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Aborted by the first ctrl-C. */
  readonly signal: AbortSignal;
  /** Milliseconds between a plan in which nobody may go and the next look. */
  readonly pauseMs: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

/** 0 all done, 1 an error, 2 stopped by a guard with something left to do, 130 interrupted. */
export async function converge(around: Surroundings): Promise<number> {
  const begun = around.now();
  const run = new Run(around);
  const result = await run.toTheEnd();
  around.tell({ event: "result", ...result, applies: run.past.applies, seconds: secondsSince(begun, around) });
  return result.exit_code;
}

const secondsSince = (begun: number, { now }: Pick<Surroundings, "now">): number => Math.round((now() - begun) / 100) / 10;

const done: Result = { result: "done", exit_code: 0 };
const interrupted: Result = { result: "interrupted", exit_code: 130 };
const stopped = (reason: string): Result => ({ result: "stopped", exit_code: 2, reason });
const failed = (reason: string): Result => ({ result: "failed", exit_code: 1, reason });

class Run {
  past: Past = beginning;
  private round = 0;

  constructor(private readonly around: Surroundings) {}

  async toTheEnd(): Promise<Result> {
    for (;;) {
      const result = await this.once();
      if (result) return result;
      if (this.around.signal.aborted) return interrupted;
    }
  }

  private async once(): Promise<Result | undefined> {
    const { runner, rules, tell, signal, pauseMs, sleep } = this.around;
    this.round += 1;
    const begun = this.around.now();
    const planned = await runner.plan();
    if (signal.aborted) return interrupted;
    if (!planned.ok) return failed(`the plan failed:\n${planned.errors.join("\n\n")}`);
    const { view, warnings, reasons } = planned.value;
    tell({ event: "plan", round: this.round, seconds: secondsSince(begun, this.around), warnings, ...view });

    const next = decide(view, reasons, this.past, rules);
    switch (next.kind) {
      case "done":
        return done;
      case "stop":
        return stopped(next.reason);
      case "look-again":
        tell({ event: "wait", seconds: pauseMs / 1000, reason: next.reason });
        this.past = idled(this.past);
        await sleep(pauseMs, signal);
        return undefined;
      case "ask":
        return (await this.consent(view)) ?? this.apply(view);
      case "apply":
        return this.apply(view);
      default:
        return next satisfies never;
    }
  }

  /** undefined = yes. */
  private async consent(view: PlanView): Promise<Result | undefined> {
    const { ask, tell, rules, signal } = this.around;
    const destroys = rules.allowDestroy ? [] : unexpected(view);
    const what = destroys.map(({ action, address }) => `${action === "delete" ? "destroys" : "replaces"} ${address}`).join(", ");
    tell({ event: "question", destroys: destroys.map(({ address, action }) => ({ address, action })) });
    let answer: string | undefined;
    try {
      answer = await ask(`Apply this plan? Only "yes" is accepted: `);
    } catch (cause) {
      if (signal.aborted) return interrupted;
      throw cause;
    }
    if (signal.aborted) return interrupted;
    if (answer?.trim() === "yes") return undefined;
    if (answer !== undefined) return stopped(`the answer was ${JSON.stringify(answer.trim())}; nothing was applied after that question`);
    return stopped(
      destroys.length > 0
        ? `this plan ${what}, which is no part of a roll, and nobody is there to be asked. Run it at a terminal, or with --allow-destroy if that is meant`
        : "nobody is there to be asked. Run it at a terminal, or with --yes",
    );
  }

  private async apply(view: PlanView): Promise<Result | undefined> {
    const { runner, tell, signal } = this.around;
    const stopping = (): void => tell({ event: "stopping" });
    signal.addEventListener("abort", stopping, { once: true });
    const begun = this.around.now();
    try {
      const applied = await runner.apply();
      tell({ event: "apply", round: this.round, seconds: secondsSince(begun, this.around), ok: applied.ok });
      if (applied.ok) {
        this.past = went(this.past, view);
        return undefined;
      }
      if (signal.aborted) return { ...interrupted, reason: applied.errors.join("\n\n") };
      const reason = `the apply failed:\n${applied.errors.join("\n\n")}`;
      return isRefusal(applied.errors) ? stopped(reason) : failed(reason);
    } finally {
      signal.removeEventListener("abort", stopping);
    }
  }
}
