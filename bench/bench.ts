// npm run bench: all figures in one run, written to docs/performance.md with date and machine. Ratios are against peers
// that run turn about in the same minutes, so that a slow machine slows both.
//   npm run bench -- --quick   without the clusters
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { benchDemo, type DemoFigures } from "./demo.js";
import { benchStart, type Figures } from "./start.js";
import { benchSynth } from "./synth.js";

const root = resolve(import.meta.dirname, "..");
const file = join(root, "docs/performance.md");
const quick = process.argv.includes("--quick");

const seconds = ({ min, median }: Figures): string => `${min.toFixed(1)} s / ${median.toFixed(1)} s`;
const millis = ({ min, median }: Figures): string => `${min.toFixed(0)} ms / ${median.toFixed(0)} ms`;

function osName(): string {
  const text = readFileSync("/etc/os-release", "utf8");
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(text)?.[1] ?? process.platform;
}

const start = await benchStart();
console.log(`start: node ${millis(start.node)}, provider ${millis(start.provider)}, ratio ${start.ratio.toFixed(2)}`);
const synth = benchSynth();
console.log(synth.map((run) => `synth of ${run.clusters}: ${run.synthMs} ms, ${run.peakMib} MiB`).join("\n"));
let demo: DemoFigures | undefined;
if (!quick) {
  demo = benchDemo();
  console.log(`demo: ${seconds(demo.cluster)}, bare ${seconds(demo.bare)}, ratio ${demo.ratio.toFixed(2)}, plan ${seconds(demo.noOpPlan)}`);
}

const machine = `${cpus().length} CPUs (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${osName()}, Linux ${release()}, Node ${process.versions.node}`;
const large = synth.at(-1);
const small = synth.find((run) => run.clusters === 25);
const linear = large && small ? (large.synthMs / large.clusters / (small.synthMs / small.clusters)).toFixed(2) : "";
const roles = (demo?.userData ?? []).map(({ role, bytes }) => `| user-data of a ${role}, packed | ${bytes} bytes | at most 16384 |`);
const cluster = demo
  ? [
      `| warm demo, 1 control plane and 2 workers, until Ready and DNS | ${seconds(demo.cluster)} | |`,
      `| the same with the proof by a workload: the whole command | ${seconds(demo.total)} | at most 90 s |`,
      `| the same machines by a bare script (bench/bare.sh) | ${seconds(demo.bare)} | |`,
      `| warm demo ÷ bare script | ${demo.ratio.toFixed(2)} | at most 1.5 |`,
      `| plan without changes of that cluster | ${seconds(demo.noOpPlan)} | at most 3 s |`,
      ...roles,
    ]
  : [];

const page = `# Performance

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}. Two figures are minimum / median. What is compared
runs turn about in the same run.

| what | figure | budget |
|---|---|---|
| bare \`node -e 0\` | ${millis(start.node)} | |
| provider, start to handshake, launcher included | ${millis(start.provider)} | |
| provider ÷ bare node | ${start.ratio.toFixed(2)} | at most 1.6 |
${cluster.join("\n")}

## Synth

Clusters of 3 control planes and 6 workers, a stack each, each row in a process of its own.

| clusters | resources | synth | CPU with loading | peak memory | JSON |
|---|---|---|---|---|---|
${synth.map((r) => `| ${r.clusters} | ${r.resources} | ${r.synthMs} ms | ${r.cpuMs} ms | ${r.peakMib} MiB | ${r.jsonKib} KiB |`).join("\n")}

Time per cluster, 100 against 25: ${linear}.
`;
if (quick) console.log(page);
else writeFileSync(file, page);
