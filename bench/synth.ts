// Time and memory of synth: N clusters, a stack each, each N in a process of its own. Linear means that the time per
// cluster of the largest run is about that of the others.
//   npx tsx bench/synth.ts            a table
//   npx tsx bench/synth.ts --json     the same as data
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SynthRun {
  readonly clusters: number;
  readonly resources: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Without loading CDKTF and the constructs. */
  readonly synthMs: number;
  readonly peakMib: number;
  readonly jsonKib: number;
}

const sizes = [1, 25, 50, 100];

/** The child: makes the clusters and prints what it took. */
async function measure(clusters: number): Promise<void> {
  const { App, TerraformStack } = await import("cdktf");
  const { Cluster, HonestProvider } = await import("../constructs/index.js");
  const begun = performance.now();
  const outdir = mkdtempSync(join(tmpdir(), "honest-bench-"));
  const app = new App({ outdir });
  for (let n = 0; n < clusters; n++) {
    const stack = new TerraformStack(app, `c${n}`);
    // Copying a file a stack would be measured, not synth.
    new HonestProvider(stack, "honest", { install: false });
    new Cluster(stack, `cluster-${n}`, {
      version: "1.36.3",
      iaas: { local: {} },
      controlPlane: { replicas: 3 },
      nodeGroups: { web: { scalingConfig: { desiredSize: 4 }, zones: ["a", "b"] }, batch: { scalingConfig: { desiredSize: 2 } } },
    });
  }
  app.synth();
  const synthMs = performance.now() - begun;
  const files = readdirSync(outdir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("cdk.tf.json"));
  const bytes = files.reduce((sum, file) => sum + statSync(join(outdir, file)).size, 0);
  rmSync(outdir, { recursive: true, force: true });
  const { user, system } = process.cpuUsage();
  const run: SynthRun = {
    clusters,
    // 3 control planes of disk, boot, machine, node; 6 workers of boot, machine, node; network, balancer, pki, barrier
    resources: clusters * (3 * 4 + 6 * 3 + 4),
    wallMs: Math.round(performance.now()),
    cpuMs: Math.round((user + system) / 1000),
    synthMs: Math.round(synthMs),
    peakMib: Math.round(process.resourceUsage().maxRSS / 1024),
    jsonKib: Math.round(bytes / 1024),
  };
  console.log(JSON.stringify(run));
}

export function benchSynth(of: readonly number[] = sizes): readonly SynthRun[] {
  return of.map((clusters) => {
    const child = spawnSync(process.execPath, [...process.execArgv, import.meta.filename, "--run", String(clusters)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (child.status !== 0) throw new Error(`synth of ${clusters} clusters ended with ${child.status}`);
    return JSON.parse(child.stdout.trim().split("\n").at(-1) ?? "") as SynthRun;
  });
}

const [flag, count] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename) {
  if (flag === "--run") await measure(Number(count));
  else {
    const runs = benchSynth();
    if (flag === "--json") console.log(JSON.stringify(runs));
    else {
      console.table(runs.map((run) => ({ ...run, msPerCluster: Math.round(run.synthMs / run.clusters) })));
      const [small, large] = [runs.find((run) => run.clusters === 25), runs.at(-1)];
      if (small && large)
        console.log(`time per cluster, 100 against 25: ${(large.synthMs / large.clusters / (small.synthMs / small.clusters)).toFixed(2)}`);
    }
  }
}
