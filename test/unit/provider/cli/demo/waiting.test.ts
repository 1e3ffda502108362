import { expect, it } from "vitest";
import { createTeller, progressVariable } from "../../../../../provider/cli/demo/waiting.js";
import { progressVariable as providers } from "../../../../../provider/protocol/progress.js";

const line = (who: object, message: string): string => JSON.stringify({ ...who, at: "t", message });

it("names who waits and tells a reason once, and again after a minute", () => {
  let now = 0;
  const teller = createTeller(() => now);
  expect(teller.toldWithin(30_000)).toBe(false);
  expect(teller.tell(line({ cluster: "demo" }, "1 of 2 nodes"))).toBe("demo: 1 of 2 nodes");
  expect(teller.tell(line({ node: "demo-cp-a" }, "1 of 2 nodes"))).toBe("demo-cp-a: 1 of 2 nodes");
  expect(teller.tell(line({ cluster: "demo" }, "1 of 2 nodes"))).toBeUndefined();
  now = 31_000;
  expect(teller.toldWithin(30_000)).toBe(false);
  now = 61_000;
  expect(teller.tell(line({ cluster: "demo" }, "1 of 2 nodes"))).toBe("demo: 1 of 2 nodes");
  expect(teller.tell(line({}, "building"))).toBe("building");
  expect(teller.toldWithin(30_000)).toBe(true);
});

it.each(["", "half a li", "null", "{}", '{"message":7}'])("takes %j for no line", (text) => {
  expect(createTeller().tell(text)).toBeUndefined();
});

it("asks for the file by the provider's name for it", () => {
  expect(progressVariable).toBe(providers);
});
