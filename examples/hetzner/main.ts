import { App, TerraformStack } from "cdktf";
import { Cluster } from "honest-paas";

// what you choose; the rest of this file stays
const {
  CLUSTER_NAME: name = "prod",
  // number of a snapshot, or a name of Hetzner's
  CLUSTER_IMAGE: image = "debian-12",
  // where machines fetch what is not in the image
  CLUSTER_MIRROR: mirror = "https://mirror.example.com",
  // who reaches the API; a balancer of Hetzner cannot ask, so control planes' firewall does
  CLUSTER_ACCESS: access = "203.0.113.0/24",
  // a name of yours; its A records are the addresses of the control planes
  CLUSTER_ENDPOINT: endpoint = "https://api.prod.example.com:6443",
} = process.env;

const app = new App();
const stack = new TerraformStack(app, name);

const cluster = new Cluster(stack, name, {
  version: "1.36.3",
  iaas: { hcloud: { networkZone: "eu-central", publicEndpoint: "control_planes" } },
  access: { endpoint },
  vpcConfig: {
    cidr: "10.98.0.0/16",
    publicAccessCidrs: access.split(","),
  },
  controlPlane: {
    replicas: 3,
    zones: ["fsn1", "nbg1", "hel1"],
    instanceType: "cpx31",
    image,
    etcdVolume: { sizeGib: 10 },
  },
  mirror: { binaries: mirror, images: mirror },
  tags: { environment: name },
});

cluster.addNodeGroup("web", {
  instanceTypes: ["cpx41"],
  image,
  zones: ["fsn1", "nbg1"],
  scalingConfig: { desiredSize: 3 },
});

cluster.addNodeGroup("batch", {
  instanceTypes: ["ccx23"],
  image,
  zones: ["fsn1"],
  scalingConfig: { desiredSize: 1 },
  taint: [{ key: "batch", effect: "NO_SCHEDULE" }],
});

app.synth();
