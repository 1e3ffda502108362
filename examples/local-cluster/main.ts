import { App, TerraformStack } from "cdktf";
import { Cluster } from "honest-paas";

const app = new App();
const stack = new TerraformStack(app, "demo");

const cluster = new Cluster(stack, "demo", {
  version: process.env.HONEST_VERSION,
  iaas: { local: {} },
  controlPlane: { replicas: Number(process.env.HONEST_CONTROL_PLANES ?? 1) as 1 | 3 | 5 },
  deletionProtection: false,
});

cluster.addNodeGroup("workers", {
  scalingConfig: { desiredSize: Number(process.env.HONEST_WORKERS ?? 2) },
});

app.synth();
