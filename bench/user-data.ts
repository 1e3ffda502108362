// How much of a cloud's room for user-data a machine of each role takes.
import type { MachineSpec } from "../constructs/blueprint/machine-spec.js";
import { renderUserData } from "../provider/boot/user-data.js";
import { defaultVersion } from "../provider/mirror/versions.js";
import { bundleOf } from "../provider/pki/bundle.js";
import { createPki } from "../provider/pki/create.js";
import type { Section } from "./section.js";
import { table } from "./table.js";

const most = 16_384;

export interface UserDataSizes {
  readonly roles: readonly { readonly role: string; readonly bytes: number; readonly bootStage: number; readonly document: number }[];
}

const shape = { instance_type: "local.cpu2.mem2048", image: `honest-paas/machine:${defaultVersion}`, root_disk_gib: 20 };
const spec = (role: MachineSpec["role"], name: string): MachineSpec => ({
  cluster: "production",
  pool: role === "worker" ? "workers" : "cp",
  name,
  role,
  version: defaultVersion,
  template_epoch: 1,
  endpoint_name: "api.production.honest.internal",
  endpoint_port: 6443,
  pod_ipv4_cidr: "10.244.0.0/16",
  service_ipv4_cidr: "10.96.0.0/16",
  cert_names: role === "worker" ? [] : ["127.0.0.1", "localhost"],
  component_flags: {},
  mirror_binaries: null,
  mirror_images: null,
  mirror_ca: null,
  shape,
});

export const userData: Section<UserDataSizes> = {
  title: "User-data",

  async measure() {
    const pki = JSON.stringify(
      bundleOf(createPki("production", 87_600), { leafSeconds: 31_536_000, ticketNotAfter: new Date().toISOString() }),
    );
    const late = { endpoint_address: "10.98.0.10", address: null, etcd_disk: null, pki, members: {} };
    const common = { taints: [], labels: {}, born: false };
    const measured = (role: string, inputs: Parameters<typeof renderUserData>[0]) => {
      const data = renderUserData(inputs, "gzip_base64");
      const used = data.used();
      return { role, bytes: data.bytes, bootStage: used["boot stage"], document: used["boot document"] };
    };
    const controlPlanes = [1, 3, 5].map((count) => {
      const names = ["a", "b", "c", "d", "e"].slice(0, count).map((letter, n) => [`production-cp-${letter}`, `10.98.0.${11 + n}`] as const);
      const own = {
        ...late,
        address: "10.98.0.11",
        etcd_disk: "/dev/disk/by-id/honest-disk-0123456789",
        members: Object.fromEntries(names),
      };
      return measured(`control plane, 1 of ${count}`, { ...common, spec: spec("control-plane", "production-cp-a"), late: own });
    });
    return { roles: [...controlPlanes, measured("worker", { ...common, spec: spec("worker", "production-workers-a-0"), late })] };
  },

  limits: ({ roles }) =>
    roles.map(({ role, bytes }) => ({
      what: `user-data of a machine, packed: ${role}`,
      figure: `${bytes} bytes`,
      value: bytes,
      most,
      unit: " bytes",
    })),

  page: ({ roles }) =>
    `Made of new keys each time, which moves a figure by some bytes. The least that a cloud takes is ${most} bytes before base64.

${table(
  ["role", "all", "boot stage alone", "boot document alone"],
  roles.map(({ role, bytes, bootStage, document }) => [role, String(bytes), String(bootStage), String(document)]),
)}`,
};
