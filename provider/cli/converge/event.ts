// What converge tells: the lines of --json as they are, and what the text is made of. Names and meanings stay; fields may
// be added.
import type { Action, PlanView } from "./plan-view.js";

export interface Result {
  readonly result: "done" | "stopped" | "failed" | "interrupted";
  readonly exit_code: 0 | 1 | 2 | 130;
  /** Why it is not done. */
  readonly reason?: string;
}

export type ConvergeEvent =
  | ({
      readonly event: "plan";
      /** From 1. */
      readonly round: number;
      readonly seconds: number;
      readonly warnings: readonly string[];
    } & PlanView)
  | { readonly event: "question"; readonly destroys: readonly { readonly address: string; readonly action: Action }[] }
  /** What terraform is at. */
  | { readonly event: "note"; readonly text: string }
  | { readonly event: "apply"; readonly round: number; readonly seconds: number; readonly ok: boolean }
  | { readonly event: "wait"; readonly seconds: number; readonly reason: string }
  /** The first ctrl-C came while terraform applies. */
  | { readonly event: "stopping" }
  | ({ readonly event: "result"; readonly applies: number; readonly seconds: number } & Result);

export function eventJson(event: ConvergeEvent): string {
  if (event.event !== "plan") return JSON.stringify(event);
  const { outputsChange, ...rest } = event;
  return JSON.stringify({ ...rest, outputs_change: outputsChange });
}
