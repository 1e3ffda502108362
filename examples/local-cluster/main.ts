import { App, TerraformStack } from "cdktf";
import { Cluster } from "honest-paas";

const app = new App();
const stack = new TerraformStack(app, "demo");

const cluster = new Cluster(stack, "demo", {
  version: "1.36.3",
  iaas: { local: {} },
  controlPlane: { replicas: 1 },
  // a cluster to try things with: terraform destroy takes it away without a second step
  deletionProtection: false,
});

cluster.addNodeGroup("workers", {
  scalingConfig: { desiredSize: 2 },
});

app.synth();
