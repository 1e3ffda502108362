// npm run bench: measures, writes bench/results.json and docs/performance.md, and ends with 1 when a limit does not hold.
import { loadavg } from "node:os";
import { describeMachine } from "./machine.js";
import { holds, limitsOf, type Results, readResults, type SectionName, sectionNames, sections, writeResults } from "./page.js";
import type { Section } from "./section.js";

const usage = `npm run bench -- [SECTION...] [--rounds N] [--dry]

Measures and writes bench/results.json and docs/performance.md; sections that are left out keep their figures there.
Ends with 1 when a limit does not hold. What it makes is removed again, also on ctrl-C.

Sections, all of them by default: ${sectionNames.join(", ")}.
  --rounds N   Repetitions of each section. Default: each section's own.
  --dry        Prints the figures and writes nothing.
The clusters are named bench and bench-bare; HONEST_DEMO_NAME gives another name. The section cluster needs terraform on
PATH.`;

interface Wanted {
  readonly names: readonly SectionName[];
  readonly rounds: number | undefined;
  readonly dry: boolean;
}

function wantedOf(words: readonly string[]): Wanted {
  const names: SectionName[] = [];
  let rounds: number | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--dry") continue;
    if (word === "--rounds") {
      at += 1;
      rounds = Number(words[at]);
      if (!Number.isInteger(rounds) || rounds < 1)
        throw new Error(`--rounds is "${words[at] ?? ""}". Allowed: a whole number from 1.\n\n${usage}`);
    } else if ((sectionNames as readonly string[]).includes(word)) names.push(word as SectionName);
    else throw new Error(`There is no section "${word}". Sections: ${sectionNames.join(", ")}.\n\n${usage}`);
  }
  // in the page's order, each once
  return { names: sectionNames.filter((name) => names.length === 0 || names.includes(name)), rounds, dry: words.includes("--dry") };
}

const stop = new AbortController();

async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const { names, rounds, dry } = wantedOf(words);
  const machine = await describeMachine();
  console.log(machine);
  let results: Results = readResults();
  for (const name of names) {
    const section = sections[name] as unknown as Section<unknown>;
    const begun = performance.now();
    const say = (line: string): void => console.log(`${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s  ${line}`);
    console.log(`[${name}] ${section.title}`);
    const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
    const data = await section.measure({ rounds, say, signal: stop.signal });
    results = { ...results, [name]: { on: new Date().toISOString().slice(0, 10), machine, load, data } };
    // each section as soon as it is there: a later one may fail or be stopped
    if (!dry) writeResults(results);
    for (const limit of limitsOf(results, name)) say(`${limit.what}: ${limit.figure}, at most ${limit.most}${limit.unit}`);
  }
  const missed = names.flatMap((name) => limitsOf(results, name)).filter((limit) => !holds(limit));
  for (const limit of missed) console.log(`does not hold: ${limit.what}: ${limit.figure}, at most ${limit.most}${limit.unit}`);
  return missed.length ? 1 : 0;
}

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(name, () => {
    console.log(`${name}: stopping, and removing what was made`);
    stop.abort(new Error(`stopped by ${name}`));
  });
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = stop.signal.aborted ? 130 : 1;
}
