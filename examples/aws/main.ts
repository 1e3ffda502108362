import { App, TerraformStack } from "cdktf";
import { Cluster } from "honest-paas";

/** What differs from user to user; README.md says where each comes from. */
function variable(name: string, otherwise?: string): string {
  const value = process.env[name] || otherwise;
  if (value === undefined) throw new Error(`set ${name}: see README.md`);
  return value;
}
const list = (text: string): string[] => text.split(",").map((part) => part.trim());

const region = variable("HONEST_REGION", "eu-central-1");
const image = variable("HONEST_IMAGE");
const mirror = process.env.HONEST_MIRROR;
const zones = list(variable("HONEST_ZONES", "eu-central-1a,eu-central-1b,eu-central-1c"));

const app = new App();
const stack = new TerraformStack(app, "aws");

const cluster = new Cluster(stack, "prod", {
  version: "1.36.3",
  iaas: { aws: { region } },
  vpcConfig: {
    cidr: "10.98.0.0/16",
    // in each zone machines are in one range, and what faces the world in another
    subnets: Object.fromEntries(zones.map((zone, n) => [zone, { cidr: `10.98.${n * 16}.0/20`, publicCidr: `10.98.${240 + n}.0/24` }])),
    egress: "nat",
    publicAccessCidrs: list(variable("HONEST_PUBLIC_ACCESS")),
  },
  controlPlane: {
    replicas: 3,
    zones,
    instanceType: variable("HONEST_CONTROL_PLANE_TYPE", "m7i.large"),
    image,
    etcdVolume: { sizeGib: 10, type: "gp3" },
  },
  ...(mirror ? { mirror: { binaries: mirror, images: mirror } } : {}),
  tags: { environment: "prod" },
});

cluster.addNodeGroup("web", {
  instanceTypes: [variable("HONEST_WEB_TYPE", "c7i.large")],
  image,
  zones,
  scalingConfig: { desiredSize: 3, minSize: 3, maxSize: 6 },
  labels: { tier: "web" },
});

cluster.addNodeGroup("batch", {
  instanceTypes: [variable("HONEST_BATCH_TYPE", "r7i.large")],
  image,
  zones: zones.slice(0, 1),
  scalingConfig: { desiredSize: 1, minSize: 0, maxSize: 4 },
  taint: [{ key: "batch", value: "true", effect: "NO_SCHEDULE" }],
});

app.synth();
