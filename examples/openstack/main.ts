import { App, TerraformStack } from "cdktf";
import { Cluster } from "honest-paas";

/** What differs from cloud to cloud; README.md tells where each comes from. */
function variable(name: string, otherwise?: string): string {
  const value = process.env[name] || otherwise;
  if (value === undefined) throw new Error(`set ${name}: see README.md`);
  return value;
}
const list = (text: string): string[] => text.split(",").map((part) => part.trim());

const image = variable("HONEST_IMAGE");
const zones = list(variable("HONEST_ZONES", "nova"));

const app = new App();
const stack = new TerraformStack(app, "openstack");

const cluster = new Cluster(stack, "prod", {
  version: "1.36.3",
  iaas: { openstack: { externalNetwork: variable("HONEST_EXTERNAL_NETWORK", "public") } },
  vpcConfig: {
    cidr: "10.98.0.0/16",
    // machines have no public address; what they fetch goes through the router
    egress: "nat",
    publicAccessCidrs: list(variable("HONEST_PUBLIC_ACCESS")),
  },
  controlPlane: {
    replicas: 3,
    zones,
    instanceType: variable("HONEST_CONTROL_PLANE_TYPE", "m1.medium"),
    image,
    etcdVolume: { sizeGib: 10 },
  },
  tags: { owner: "platform" },
});

cluster.addNodeGroup("web", {
  instanceTypes: [variable("HONEST_WEB_TYPE", "m1.medium")],
  image,
  zones,
  scalingConfig: { desiredSize: 3, maxSize: 6 },
  labels: { tier: "web" },
});

cluster.addNodeGroup("batch", {
  instanceTypes: [variable("HONEST_BATCH_TYPE", "m1.large")],
  image,
  zones,
  scalingConfig: { desiredSize: 1, maxSize: 10 },
  taint: [{ key: "batch", value: "true", effect: "NO_SCHEDULE" }],
});

app.synth();
