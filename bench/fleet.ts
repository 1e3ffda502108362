// Five hundred clusters, a stack each, in one program: the constructs beside the same resources written by hand.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { program, type References, renamed, type StackJson } from "./by-hand.js";
import { type Figures, figures, ratios, word } from "./figures.js";
import { output } from "./process.js";
import type { Section, Tools } from "./section.js";
import { table } from "./table.js";

const clusters = 500;
const most = 1.3;
const kinds = ["kit", "text", "fqn"] as const;
type Kind = (typeof kinds)[number];

const words: Readonly<Record<Kind, string>> = {
  kit: "constructs of the kit",
  text: "by hand, references as text",
  fqn: "by hand, references by `fqn`",
};

/** What 500 stacks of 25 resources took on CDKTF 0.21 before there was a kit, ten of them with 12 KB of user-data. */
const before = { seconds: 9.5, cpuSeconds: 9.3, peakMib: 259 };

interface Run {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
}

export interface Fleet {
  readonly clusters: number;
  /** Of one cluster. */
  readonly resources: number;
  readonly kinds: readonly { readonly kind: Kind; readonly seconds: Figures; readonly cpuSeconds: Figures; readonly peakMib: Figures }[];
  /** Constructs to references as text. */
  readonly time: Figures;
  readonly memory: Figures;
}

const child = join(import.meta.dirname, "fleet-child.mjs");

async function run(kind: Kind, count: number, folder: string, signal: AbortSignal): Promise<Run> {
  const outdir = join(folder, "out");
  const args = [child, kind === "kit" ? "kit" : "hand", String(count), outdir, ...(kind === "kit" ? [] : [programFile(folder, kind)])];
  return JSON.parse(await output(process.execPath, args, { signal })) as Run;
}

const programFile = (folder: string, references: References): string => join(folder, `by-hand-${references}.mjs`);
const stackOf = (folder: string): StackJson => JSON.parse(readFileSync(join(folder, "out/stacks/c0/cdk.tf.json"), "utf8")) as StackJson;

/** Writes the programs, and sees to it that they make what the constructs make. Returns the number of resources. */
async function write(folder: string, signal: AbortSignal): Promise<number> {
  await run("kit", 1, folder, signal);
  const ours = stackOf(folder);
  for (const references of ["text", "fqn"] as const) {
    writeFileSync(programFile(folder, references), program(ours, "cluster-0", references));
    await run(references, 1, folder, signal);
    if (!isDeepStrictEqual(plain(stackOf(folder).resource), plain(renamed(ours))))
      throw new Error(`the program by hand (${references}) makes something else`);
  }
  return Object.values(ours.resource).flatMap(Object.keys).length;
}

/** Without what CDKTF itself says of a resource, and lists of addresses in one order. */
const plain = (resources: StackJson["resource"]): unknown =>
  JSON.parse(JSON.stringify(resources), (key, value: unknown) => {
    if (key === "//" || key === "provider") return undefined;
    return key === "depends_on" ? [...(value as readonly string[])].sort() : value;
  });

export const fleet: Section<Fleet> = {
  title: "Five hundred clusters",

  async measure({ rounds = 3, say, signal }: Tools) {
    // below the repository, where the program finds CDKTF
    const folder = mkdtempSync(join(import.meta.dirname, ".fleet-"));
    const runs: Record<Kind, Run[]> = { kit: [], text: [], fqn: [] };
    try {
      const resources = await write(folder, signal);
      for (let round = 1; round <= rounds; round += 1)
        for (const kind of kinds) {
          const took = await run(kind, clusters, folder, signal);
          runs[kind].push(took);
          say(`round ${round} of ${rounds}: ${words[kind]}: ${took.seconds.toFixed(1)} s, ${took.peakMib.toFixed(0)} MiB`);
        }
      const of = (kind: Kind, what: keyof Run) => runs[kind].map((one) => one[what]);
      return {
        clusters,
        resources,
        kinds: kinds.map((kind) => ({
          kind,
          seconds: figures(of(kind, "seconds")),
          cpuSeconds: figures(of(kind, "cpuSeconds")),
          peakMib: figures(of(kind, "peakMib")),
        })),
        time: ratios(of("kit", "cpuSeconds"), of("text", "cpuSeconds")),
        memory: ratios(of("kit", "peakMib"), of("text", "peakMib")),
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },

  limits: ({ time, memory }) => [
    { what: `synth of ${clusters} clusters, processor time ÷ by hand`, figure: word(time, 2), value: time.median, most, unit: "" },
    { what: `synth of ${clusters} clusters, memory ÷ by hand`, figure: word(memory, 2), value: memory.median, most, unit: "" },
  ],

  page: (data) =>
    `${data.clusters} clusters of ${data.resources} resources (3 control planes, 3 workers in 2 groups), a stack each, in one program; the
same resources with CDKTF's own \`TerraformResource\`, by a program that is made from what the constructs synthesize and
checked to synthesize the same. Ratios are to the cheaper of its two ways to refer to another resource. A busy machine
stretches seconds, processor time less, so time is compared by the latter; "memory" is the most that the whole process held, and
grows where the collector of garbage gets no processor.

${table(
  ["", "seconds", "processor seconds", "memory, MiB"],
  data.kinds.map(({ kind, seconds, cpuSeconds, peakMib }) => [words[kind], word(seconds, 1), word(cpuSeconds, 1), word(peakMib, 0)]),
)}

${data.clusters} stacks of 25 plain resources each, ten of them with 12 KB of user-data (69 MB of JSON), took CDKTF 0.21 alone
${before.seconds} s, ${before.cpuSeconds} processor seconds and ${before.peakMib} MB on another machine of two CPUs before the kit was written. User-data is no part of
a synth of the kit: it is made inside the provider.`,
};
