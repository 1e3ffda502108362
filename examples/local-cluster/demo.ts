// The program behind `honest-paas demo`: the same as main.ts, with its numbers from the command line.
import { App, TerraformStack } from "cdktf";
import { Cluster, defaultVersion } from "honest-paas";

const { HONEST_DEMO_NAME: name = "demo", HONEST_DEMO_VERSION: version = defaultVersion } = process.env;
const controlPlanes = Number(process.env.HONEST_DEMO_CONTROL_PLANES ?? 1) as 1 | 3 | 5;
const workers = Number(process.env.HONEST_DEMO_WORKERS ?? 2);

const app = new App();
const stack = new TerraformStack(app, name);
const cluster = new Cluster(stack, name, {
  version,
  iaas: { local: {} },
  controlPlane: { replicas: controlPlanes },
  deletionProtection: false,
});
cluster.addNodeGroup("workers", { scalingConfig: { desiredSize: workers } });
app.synth();
