import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stageTimes, stepTimes } from "../../../bench/cluster.js";
import { figures, ratios, word } from "../../../bench/figures.js";
import { limitsOf, pageFile, readResults, render, type SectionName, sectionNames, sections, withGenerated } from "../../../bench/page.js";

describe("docs/performance.md", () => {
  const results = readResults();

  it("is what the last run's figures render to", () => {
    const page = readFileSync(pageFile, "utf8");
    expect(page, "npm run bench writes it; by hand: edit only what is above the mark").toBe(withGenerated(page, render(results)));
  });

  it("has every section of the benchmark, and figures of no other", () => {
    const titles = [...render(results).matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(sectionNames.map((name) => sections[name].title));
    expect(sectionNames).toEqual(expect.arrayContaining(Object.keys(results)));
  });

  it("says of a section without figures how to get them", () => {
    expect(render({})).toContain("Not measured yet: `npm run bench -- cluster`.");
  });

  it("has a figure wherever one is named", () => {
    expect(render(results)).not.toMatch(/NaN|undefined|null|Infinity/);
  });

  it.each(Object.keys(results) as SectionName[])("says of every limit of %s whether it held", (name) => {
    const limits = limitsOf(results, name);
    expect(limits.length).toBeGreaterThan(0);
    const said = render(results);
    for (const { what, figure, ...limit } of limits)
      expect(said).toContain(`| ${what} | ${figure} | ${limit.most}${limit.unit} | ${limit.value <= limit.most ? "yes" : "**no**"} |`);
  });

  it("fails when the marks are gone", () => {
    expect(() => withGenerated("# Performance\n", "figures")).toThrow(/has no lines/);
  });
});

describe("figures", () => {
  it("are a median and a spread, whatever the order", () => {
    expect(figures([3, 1, 2])).toEqual({ runs: 3, median: 2, min: 1, max: 3 });
    expect(figures([4, 1, 2, 3])).toEqual({ runs: 4, median: 2.5, min: 1, max: 4 });
  });

  it.each([[[]], [[1, Number.NaN]]])("fails when %j is no row of numbers", (values) => {
    expect(() => figures(values)).toThrow(/no figures/);
  });

  it("pairs runs in their order", () => {
    expect(ratios([2, 9], [1, 3])).toEqual({ runs: 2, median: 2.5, min: 2, max: 3 });
    expect(() => ratios([1], [])).toThrow(/cannot be paired/);
  });

  it("are worded with their spread, if there is one", () => {
    expect(word(figures([1.444, 1.3, 1.6]), 2, " s")).toBe("1.44 s (1.30 to 1.60)");
    expect(word(figures([7]), 0)).toBe("7");
  });
});

describe("times of a run", () => {
  it("are read from the demo's last lines", () => {
    const said = "[1/8] engine  Docker (0.0 s)\n\nengine 0.1 s · apply 42.5 s · workload 3.2 s\nDone: it works\n";
    expect([...stageTimes(said)]).toEqual([
      ["engine", 0.1],
      ["apply", 42.5],
      ["workload", 3.2],
    ]);
    expect(() => stageTimes("[1/8] engine failed")).toThrow(/printed no times/);
  });

  it("are the differences of the bare script's marks", () => {
    const steps = stepTimes("machines 1.5\ninit 11.5\nworkload 20.0\n");
    expect([...steps]).toEqual([
      ["machines", 1.5],
      ["init", 10],
      ["workload", 8.5],
    ]);
    expect(() => stepTimes("machines 1.5\n")).toThrow(/did not come to its end/);
  });
});
