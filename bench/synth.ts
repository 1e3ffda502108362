// Time and memory of synth by the number of clusters, a stack each; each size in a process of its own, the sizes turn
// about. Linear means that a cluster among a hundred costs what one among twenty-five does.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figures, figures, ratios, word } from "./figures.js";
import { output } from "./process.js";
import type { Section, Tools } from "./section.js";
import { table } from "./table.js";

const sizes = [1, 25, 50, 100] as const;
const small = 25;
const large = 100;

interface Run {
  readonly ms: number;
  readonly heapMib: number;
  readonly peakMib: number;
  readonly kib: number;
  readonly resources: number;
}

export interface Synth {
  readonly sizes: readonly {
    readonly clusters: number;
    readonly resources: number;
    readonly kib: number;
    readonly ms: Figures;
    /** What the tree holds after a collection; without CDKTF itself. */
    readonly heapMib: Figures;
    readonly peakMib: Figures;
  }[];
  /** Per cluster, a hundred of them against twenty-five. */
  readonly time: Figures;
  readonly memory: Figures;
}

type Runs = ReadonlyMap<number, readonly Run[]>;

async function runAll({ rounds = 5, say, signal }: Tools): Promise<Runs> {
  const runs = new Map<number, Run[]>(sizes.map((clusters) => [clusters, []]));
  for (let round = 1; round <= rounds; round += 1)
    for (const clusters of sizes) {
      const folder = mkdtempSync(join(tmpdir(), "honest-bench-"));
      try {
        const script = join(import.meta.dirname, "synth-child.mjs");
        const run = JSON.parse(await output(process.execPath, ["--expose-gc", script, String(clusters), folder], { signal })) as Run;
        runs.get(clusters)?.push(run);
        say(`round ${round} of ${rounds}: ${clusters} clusters in ${run.ms.toFixed(0)} ms, ${run.peakMib.toFixed(0)} MiB at most`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  return runs;
}

export const synth: Section<Synth> = {
  title: "Synth",

  async measure(tools) {
    const runs = await runAll(tools);
    const of = (clusters: number, what: "ms" | "heapMib" | "peakMib") => (runs.get(clusters) ?? []).map((run) => run[what]);
    const perCluster = (what: "ms" | "heapMib") =>
      ratios(
        of(large, what).map((value) => value / large),
        of(small, what).map((value) => value / small),
      );
    return {
      sizes: sizes.map((clusters) => ({
        clusters,
        resources: runs.get(clusters)?.[0]?.resources ?? 0,
        kib: Math.round(runs.get(clusters)?.[0]?.kib ?? 0),
        ms: figures(of(clusters, "ms")),
        heapMib: figures(of(clusters, "heapMib")),
        peakMib: figures(of(clusters, "peakMib")),
      })),
      time: perCluster("ms"),
      memory: perCluster("heapMib"),
    };
  },

  limits: ({ time, memory }) => [
    { what: `synth, time of a cluster among ${large} ÷ among ${small}`, figure: word(time, 2), value: time.median, most: 1.2, unit: "" },
    {
      what: `synth, memory of a cluster among ${large} ÷ among ${small}`,
      figure: word(memory, 2),
      value: memory.median,
      most: 1.2,
      unit: "",
    },
  ],

  page: (data) =>
    `Clusters of 3 control planes and 6 workers in 2 groups, a stack each, in one program. Time is that of constructs and
\`app.synth()\`, without loading CDKTF; "held" is the heap after a collection while the app lives, "peak" the whole process.

${table(
  ["clusters", "resources", "time, ms", "held, MiB", "peak, MiB", "JSON, KiB"],
  data.sizes.map((size) => [
    String(size.clusters),
    String(size.resources),
    word(size.ms, 0),
    word(size.heapMib, 1),
    word(size.peakMib, 0),
    String(size.kib),
  ]),
)}`,
};
