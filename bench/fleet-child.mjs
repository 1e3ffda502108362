// node fleet-child.mjs KIND CLUSTERS FOLDER [PROGRAM]: synthesizes that many clusters, a stack each, into the folder and
// prints what it took. KIND "kit" uses the constructs, "hand" the program. Plain JavaScript on the built package, so that no
// compiler's memory and time are in the figures.
import { pathToFileURL } from "node:url";
import { App, TerraformProvider, TerraformStack } from "cdktf";

const [kind, count, outdir, file] = process.argv.slice(2);
const cluster = kind === "kit" ? await ofTheKit() : await byHand();
const [begun, before] = [performance.now(), process.cpuUsage()];
const app = new App({ outdir });
for (let n = 0; n < Number(count); n++) cluster(new TerraformStack(app, `c${n}`), `cluster-${n}`);
app.synth();
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    seconds: (performance.now() - begun) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMib: process.resourceUsage().maxRSS / 1024,
  }),
);

async function ofTheKit() {
  const { Cluster, HonestProvider } = await import("../dist/index.js");
  return (stack, name) => {
    // copying a file a stack would be measured, not synth
    new HonestProvider(stack, "honest", { install: false });
    new Cluster(stack, name, {
      version: "1.36.3",
      iaas: { local: {} },
      controlPlane: { replicas: 3 },
      nodeGroups: { web: { scalingConfig: { desiredSize: 2 } }, batch: { scalingConfig: { desiredSize: 1 } } },
    });
  };
}

async function byHand() {
  const { byHand } = await import(pathToFileURL(file).href);
  class Provider extends TerraformProvider {
    synthesizeAttributes() {
      return {};
    }
  }
  return (stack, name) => {
    new Provider(stack, "honest", {
      terraformResourceType: "honest",
      terraformGeneratorMetadata: { providerName: "honest", providerVersion: "0.1.0" },
      terraformProviderSource: "honest-paas/honest",
    });
    byHand(stack, name);
  };
}
