// Time and memory of synth by the number of clusters, a stack each; each size in a process of its own, the sizes turn
// about. Linear means that a cluster among a hundred costs what one among twenty-five does.
import { join } from "node:path";
import { type Figures, figures, ratios, word } from "./figures.js";
import { output } from "./process.js";
import type { Section } from "./section.js";
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

export const synth: Section<Synth> = {
  title: "Synth",

  async measure({ rounds = 5, say, signal }) {
    const runs = new Map<number, Run[]>(sizes.map((clusters) => [clusters, []]));
    for (let round = 1; round <= rounds; round += 1) {
      for (const clusters of sizes) {
        const script = join(import.meta.dirname, "synth-child.mjs");
        const said = await output(process.execPath, ["--expose-gc", script, String(clusters)], { signal });
        const run = JSON.parse(said.trim().split("\n").at(-1) ?? "") as Run;
        runs.get(clusters)?.push(run);
        say(`round ${round} of ${rounds}: ${clusters} clusters in ${run.ms.toFixed(0)} ms, ${run.peakMib.toFixed(0)} MiB at most`);
      }
    }
    const of = (clusters: number, what: "ms" | "heapMib" | "peakMib", per = 1) => (runs.get(clusters) ?? []).map((run) => run[what] / per);
    return {
      sizes: sizes.map((clusters) => {
        const { resources = 0, kib = 0 } = runs.get(clusters)?.[0] ?? {};
        const [ms, heapMib, peakMib] = [of(clusters, "ms"), of(clusters, "heapMib"), of(clusters, "peakMib")].map(figures) as [
          Figures,
          Figures,
          Figures,
        ];
        return { clusters, resources, kib: Math.round(kib), ms, heapMib, peakMib };
      }),
      time: ratios(of(large, "ms", large), of(small, "ms", small)),
      memory: ratios(of(large, "heapMib", large), of(small, "heapMib", small)),
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
