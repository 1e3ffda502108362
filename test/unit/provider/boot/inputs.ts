// Inputs of a boot document for tests.
import type { MachineSpec } from "../../../../constructs/blueprint/machine-spec.js";
import type { DocumentInputs } from "../../../../provider/boot/document.js";
import { bundleOf } from "../../../../provider/pki/bundle.js";
import { createPki } from "../../../../provider/pki/create.js";

export const pkiText = JSON.stringify(
  bundleOf(createPki("demo", 87_600), { leafSeconds: 31_536_000, ticketNotAfter: "2026-12-01T03:00:00Z" }),
);

export const spec = (over: Partial<MachineSpec> = {}): MachineSpec => ({
  cluster: "demo",
  pool: "cp",
  name: "demo-cp-a",
  role: "control-plane",
  version: "1.36.3",
  template_epoch: 1,
  endpoint_name: "api.demo.honest.internal",
  endpoint_port: 6443,
  pod_ipv4_cidr: "10.244.0.0/16",
  service_ipv4_cidr: "10.96.0.0/16",
  cert_names: ["127.0.0.1", "localhost"],
  component_flags: { "kubelet.max-pods": "60" },
  mirror_binaries: null,
  mirror_images: null,
  mirror_ca: null,
  shape: { instance_type: "local.cpu2.mem2048", image: "honest-paas/machine:1.36.3", root_disk_gib: 20 },
  ...over,
});

export const members = { "demo-cp-a": "10.98.0.11", "demo-cp-b": "10.98.0.12", "demo-cp-c": "10.98.0.13" };

export const controlPlane = (over: Partial<Omit<DocumentInputs, "runtime">> = {}): Omit<DocumentInputs, "runtime"> => ({
  spec: spec(),
  late: {
    endpoint_address: "10.98.0.10",
    address: "10.98.0.11",
    etcd_disk: "/dev/disk/by-id/honest-disk-0123456789",
    pki: pkiText,
    members,
  },
  taints: [],
  labels: {},
  born: false,
  ...over,
});

export const worker = (over: Partial<Omit<DocumentInputs, "runtime">> = {}): Omit<DocumentInputs, "runtime"> => ({
  ...controlPlane(),
  spec: spec({ pool: "web", name: "demo-web-a-0", role: "worker", cert_names: [] }),
  late: { endpoint_address: "10.98.0.10", address: null, etcd_disk: null, pki: pkiText, members: {} },
  taints: ["dedicated=web:NoSchedule"],
  labels: { "example.com/pool": "web" },
  ...over,
});
