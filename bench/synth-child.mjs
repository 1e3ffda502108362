// node --expose-gc synth-child.mjs CLUSTERS FOLDER: synthesizes that many clusters, a stack each, into the folder and prints
// what it took. Plain JavaScript on the built package, so that no compiler's memory and time are in the figures.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { Cluster, HonestProvider } from "../dist/index.js";

const [clusters, outdir] = [Number(process.argv[2]), process.argv[3]];
globalThis.gc();
const before = process.memoryUsage().heapUsed;
const begun = performance.now();
const app = new App({ outdir });
for (let n = 0; n < clusters; n++) {
  const stack = new TerraformStack(app, `c${n}`);
  // copying a file a stack would be measured, not synth
  new HonestProvider(stack, "honest", { install: false });
  new Cluster(stack, `cluster-${n}`, {
    version: "1.36.3",
    iaas: { local: {} },
    controlPlane: { replicas: 3 },
    nodeGroups: { web: { scalingConfig: { desiredSize: 4 }, zones: ["a", "b"] }, batch: { scalingConfig: { desiredSize: 2 } } },
  });
}
app.synth();
const ms = performance.now() - begun;
// the tree is still held by `app`: what it costs to have that many clusters
globalThis.gc();
const heapMib = (process.memoryUsage().heapUsed - before) / 2 ** 20;
const files = readdirSync(outdir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("cdk.tf.json"));
const kib = files.reduce((sum, file) => sum + statSync(join(outdir, file)).size, 0) / 1024;
const count = (file) => Object.values(JSON.parse(readFileSync(join(outdir, file), "utf8")).resource).flatMap(Object.keys).length;
const resources = files.reduce((sum, file) => sum + count(file), 0);
const stacks = app.node.children.length;
if (stacks !== clusters || files.length !== clusters) throw new Error(`${clusters} clusters made ${files.length} files of ${stacks} stacks`);
console.log(JSON.stringify({ ms, heapMib, peakMib: process.resourceUsage().maxRSS / 1024, kib, resources }));
