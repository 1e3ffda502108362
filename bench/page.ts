// What a run of the benchmark leaves: bench/results.json, and from it the generated part of docs/performance.md. Sections
// that were not run keep what their last run has left.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cluster } from "./cluster.js";
import { fleet } from "./fleet.js";
import { openStack } from "./openstack.js";
import type { Limit, Section, Taken } from "./section.js";
import { start } from "./start.js";
import { synth } from "./synth.js";
import { table } from "./table.js";
import { userData } from "./user-data.js";

const root = resolve(import.meta.dirname, "..");
export const pageFile = join(root, "docs/performance.md");
export const resultsFile = join(root, "bench/results.json");

/** In the order in which they run: the quick ones first. */
export const sections = { start, "user-data": userData, synth, fleet, openstack: openStack, cluster } as const;
export type SectionName = keyof typeof sections;
type DataOf<S> = S extends Section<infer T> ? T : never;
export type Results = { readonly [N in SectionName]?: Taken<DataOf<(typeof sections)[N]>> };

export const sectionNames = Object.keys(sections) as readonly SectionName[];

export const readResults = (): Results => JSON.parse(readFileSync(resultsFile, "utf8")) as Results;

/** A section with its data; types cannot follow that the two belong together. */
const entry = (results: Results, name: SectionName) => {
  const taken = results[name];
  return taken === undefined ? undefined : { taken, section: sections[name] as unknown as Section<unknown> };
};

export const limitsOf = (results: Results, name: SectionName): readonly Limit[] => {
  const found = entry(results, name);
  return found ? found.section.limits(found.taken.data) : [];
};

export const holds = ({ value, most }: Limit): boolean => value <= most;

export function render(results: Results): string {
  const limits = sectionNames.flatMap((name) => limitsOf(results, name));
  const summary = table(
    ["what", "median (lowest to highest)", "at most", "holds"],
    limits.map((limit) => [limit.what, limit.figure, `${limit.most}${limit.unit}`, holds(limit) ? "yes" : "**no**"]),
  );
  const parts = sectionNames.flatMap((name) => {
    const found = entry(results, name);
    if (!found) return [`## ${sections[name].title}\n\nNot measured yet: \`npm run bench -- ${name}\`.`];
    const { section, taken } = found;
    return [
      `## ${section.title}\n\nRun of ${taken.on} on ${taken.machine}; load average ${taken.load} when it began.\n\n${section.page(taken.data)}`,
    ];
  });
  return [summary, ...parts].join("\n\n");
}

const begin = "<!-- written by npm run bench: begin -->";
const end = "<!-- written by npm run bench: end -->";

/** The page with another generated part; what stands around the marks is a person's. */
export function withGenerated(page: string, generated: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no lines "${begin}" and "${end}" in this order`);
  return `${page.slice(0, from + begin.length)}\n\n${generated}\n\n${page.slice(to)}`;
}

export function writeResults(results: Results): void {
  const ordered = Object.fromEntries(sectionNames.flatMap((name) => (results[name] ? [[name, results[name]]] : [])));
  const page = withGenerated(readFileSync(pageFile, "utf8"), render(results));
  writeFileSync(resultsFile, `${JSON.stringify(ordered, null, 2)}\n`);
  writeFileSync(pageFile, page);
}
