import type { Stage } from "./stage.js";

export interface Case {
  /** Number of the case in the facts that the design was made from. */
  readonly id: string;
  readonly title: string;
  /** Seconds that a gate waits: long where machines wait for each other, short where one has to refuse. */
  readonly wait: "long" | "short";
  /** Begins with a cluster of its own, and leaves none. */
  readonly alone?: boolean;
  /** Run in CI under the second engine too; all of them are in `npm run e2e:long`. */
  readonly both?: boolean;
  readonly run: (stage: Stage, engine: "terraform" | "tofu") => Promise<void>;
}
