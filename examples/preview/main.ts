import { App, TerraformStack } from "cdktf";
import { Cluster } from "honest-paas";

const app = new App();
const stack = new TerraformStack(app, "preview");

const cluster = new Cluster(stack, "prod", {
  version: "1.36.3",
  iaas: { preview: {} },
  controlPlane: { replicas: 3, zones: ["a", "b", "c"] },
});

cluster.addNodeGroup("web", {
  scalingConfig: { desiredSize: 3 },
  zones: ["a", "b", "c"],
});

app.synth();
