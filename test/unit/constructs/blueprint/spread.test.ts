import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countsPerZone, zoneOf } from "../../../../constructs/blueprint/spread.js";

const zones = (n: number) => Array.from({ length: n }, (_, i) => `z${i}`);
const keys = (of: readonly string[], total: number): ReadonlySet<string> =>
  new Set([...countsPerZone(of, total)].flatMap(([zone, count]) => Array.from({ length: count }, (_, n) => `${zone}/${n}`)));

describe("countsPerZone", () => {
  it.each([
    [["a"], 3, { a: 3 }],
    [["a", "b"], 3, { a: 2, b: 1 }],
    [["b", "a"], 3, { b: 2, a: 1 }],
    [["a", "b", "c"], 2, { a: 1, b: 1, c: 0 }],
    [["a", "b"], 0, { a: 0, b: 0 }],
  ])("%j, %i", (of, total, wanted) => {
    expect(Object.fromEntries(countsPerZone(of, total))).toEqual(wanted);
  });

  it("spreads evenly and loses nobody", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 200 }), (n, total) => {
        const counts = [...countsPerZone(zones(n), total).values()];
        return counts.reduce((a, b) => a + b, 0) === total && Math.max(...counts) - Math.min(...counts) <= 1;
      }),
    );
  });

  it("only adds when the group grows", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 10 }), (n, total, more) => {
        const after = keys(zones(n), total + more);
        return [...keys(zones(n), total)].every((key) => after.has(key));
      }),
    );
  });

  it("only adds when a zone is appended and the group grows by what it is due", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 20 }), (n, each) => {
        const after = keys(zones(n + 1), each * (n + 1));
        return [...keys(zones(n), each * n)].every((key) => after.has(key));
      }),
    );
  });

  it("takes from the others no more than the new zone gets when the group does not grow", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 50 }), (n, total) => {
        const [before, after] = [keys(zones(n), total), keys(zones(n + 1), total)];
        const gone = [...before].filter((key) => !after.has(key)).length;
        return gone === (countsPerZone(zones(n + 1), total).get(`z${n}`) ?? 0);
      }),
    );
  });
});

it("goes round the zones for control planes", () => {
  expect([0, 1, 2].map((n) => zoneOf(["a", "b"], n))).toEqual(["a", "b", "a"]);
});
