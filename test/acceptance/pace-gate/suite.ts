// Runs cases under an engine, one cluster after another: those that end well leave theirs to the next.
import { afterAll, describe, it } from "vitest";
import type { Case } from "./case.js";
import { gateCases } from "./gate-cases.js";
import { memberCases } from "./member-cases.js";
import { paceCases } from "./pace-cases.js";
import { Stage } from "./stage.js";

/** In the order of their waits, so that two clusters do for all that share one. */
export const allCases: readonly Case[] = [...paceCases, ...gateCases, ...memberCases].sort(
  (a, b) => Number(a.wait === "short") - Number(b.wait === "short"),
);

const secondsOf = { long: 30, short: 4 } as const;

export interface EngineUnderTest {
  readonly engine: "terraform" | "tofu";
  readonly program?: string;
}

export function suite(under: EngineUnderTest, cases: readonly Case[]): void {
  let open: { readonly stage: Stage; readonly wait: Case["wait"] } | undefined;
  const close = async (): Promise<void> => {
    await open?.stage.close();
    open = undefined;
  };
  afterAll(close);

  describe(`under ${under.engine}`, () => {
    for (const one of cases) {
      it(`${one.id}. ${one.title}`, async () => {
        if (open && (open.wait !== one.wait || one.alone)) await close();
        const stage = open?.stage ?? (await Stage.open(under, secondsOf[one.wait]));
        const kept = open;
        open = { stage, wait: one.wait };
        if (!kept && !one.alone) await stage.born();
        stage.clear();
        try {
          await one.run(stage, under.engine);
        } catch (cause) {
          await close();
          throw cause;
        }
        if (one.alone) await close();
      });
    }
  });
}
