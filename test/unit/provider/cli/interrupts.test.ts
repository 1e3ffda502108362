import { expect, it } from "vitest";
import { createInterrupts } from "../../../../provider/cli/interrupts.js";

it("insists with the second key and not with the echo of the first", () => {
  let now = 0;
  const { signal, insist, press } = createInterrupts(() => now);
  expect(signal.aborted).toBe(false);
  press();
  expect(signal.aborted).toBe(true);
  now = 20;
  press();
  expect(insist.aborted).toBe(false);
  now = 1_500;
  press();
  expect(insist.aborted).toBe(true);
});
