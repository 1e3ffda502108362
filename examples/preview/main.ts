import { App, TerraformStack } from "cdktf";
import { Cluster } from "honest-paas";

const app = new App();
const stack = new TerraformStack(app, "preview");

const cluster = new Cluster(stack, "prod", {
  version: "1.36.3",
  iaas: { preview: {} },
  controlPlane: { replicas: 3, zones: ["a", "b", "c"], instanceType: "4 CPUs, 8 GiB" },
  vpcConfig: {
    cidr: "10.20.0.0/16",
    subnets: {
      a: { cidr: "10.20.0.0/20", publicCidr: "10.20.240.0/26" },
      b: { cidr: "10.20.16.0/20", publicCidr: "10.20.241.0/26" },
      c: { cidr: "10.20.32.0/20", publicCidr: "10.20.242.0/26" },
    },
    // who reaches the API from the world; nobody else does
    publicAccessCidrs: ["203.0.113.0/24"],
  },
  tags: { team: "platform" },
});

cluster.addNodeGroup("web", {
  scalingConfig: { desiredSize: 3 },
  instanceTypes: ["4 CPUs, 16 GiB"],
});

cluster.addNodeGroup("batch", {
  scalingConfig: { desiredSize: 2 },
  instanceTypes: ["16 CPUs, 32 GiB"],
  zones: ["a", "b"],
  taint: [{ key: "batch", effect: "NO_SCHEDULE" }],
  extraDisks: { scratch: { sizeGib: 200 } },
});

app.synth();
