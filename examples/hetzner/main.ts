// A cluster on Hetzner Cloud. Copy this folder; what a cluster costs is in README.md.
import { App, TerraformOutput, TerraformStack } from "cdktf";
import { Cluster } from "honest-paas";

/** What differs from user to user; README.md says where each comes from. */
function variable(name: string, otherwise?: string): string {
  const value = process.env[name] || otherwise;
  if (value === undefined) throw new Error(`set ${name}: see README.md`);
  return value;
}
const list = (text: string): string[] => text.split(",").map((part) => part.trim());

const image = variable("HONEST_IMAGE");
const mirror = process.env.HONEST_MIRROR;
const zones = list(variable("HONEST_ZONES", "fsn1,nbg1,hel1"));

const app = new App();
const stack = new TerraformStack(app, "hetzner");

const cluster = new Cluster(stack, "prod", {
  version: "1.36.3",
  // a balancer of Hetzner takes the whole world or nobody; the firewall of control planes takes whom you name
  iaas: { hcloud: { networkZone: variable("HONEST_NETWORK_ZONE", "eu-central"), publicEndpoint: "control_planes" } },
  access: { endpoint: variable("HONEST_ENDPOINT") },
  vpcConfig: { publicAccessCidrs: list(variable("HONEST_PUBLIC_ACCESS")) },
  controlPlane: {
    replicas: 3,
    zones,
    instanceType: variable("HONEST_CONTROL_PLANE_TYPE", "cpx31"),
    image,
    etcdVolume: { sizeGib: 10 },
  },
  ...(mirror ? { mirror: { binaries: mirror, images: mirror } } : {}),
  tags: { environment: "prod" },
});

cluster.addNodeGroup("web", {
  instanceTypes: [variable("HONEST_WEB_TYPE", "cpx41")],
  image,
  zones,
  scalingConfig: { desiredSize: 3, maxSize: 9 },
});

cluster.addNodeGroup("batch", {
  instanceTypes: [variable("HONEST_BATCH_TYPE", "ccx23")],
  image,
  zones: zones.slice(0, 1),
  scalingConfig: { desiredSize: 1 },
  taint: [{ key: "batch", effect: "NO_SCHEDULE" }],
});

// the A records of the name in HONEST_ENDPOINT
for (const letter of ["a", "b", "c"]) {
  const address = cluster.resourcesOf(`cp/${letter}`).get(`cp/${letter}/machine-ipv4`);
  new TerraformOutput(stack, `api_address_${letter}`, { value: address?.getStringAttribute("ip_address") });
}

app.synth();
