// Attributes of honest_boot.
import type { Attribute, Schema } from "../../framework/schema.js";
import { accessAttributes } from "../cluster/access.js";
import { restoreSource, restoreSpec } from "./restore.js";

const roll = "Known at plan. A change makes a new release of the machine.";
const text = (description: string, optional = false): Attribute => ({
  type: "string",
  ...(optional ? { optional: true } : { required: true }),
  description,
  change: "roll",
});

const spec: Attribute = {
  required: true,
  change: "roll",
  description: "The static spec of the machine: everything whose change means a new machine. Every value has to be known at plan.",
  nested: {
    mode: "single",
    attributes: {
      cluster: text(`Name of the cluster. ${roll}`),
      pool: text(`"cp" or the name of the node group. ${roll}`),
      name: text(`Name of the node; of a worker its first part. ${roll}`),
      role: text(`"control-plane" or "worker". ${roll}`),
      version: text(`Kubernetes version, "1.36.3". ${roll}`),
      template_epoch: {
        type: "number",
        required: true,
        change: "roll",
        description: "Generation of the boot stage that the cluster runs.",
      },
      endpoint_name: text(`Name that every node resolves to the API. ${roll}`),
      endpoint_port: { type: "number", required: true, change: "roll", description: `Port of the API there. ${roll}` },
      pod_ipv4_cidr: text(`Range of pod addresses. ${roll}`),
      service_ipv4_cidr: text(`Range of service addresses. ${roll}`),
      cert_names: {
        type: { list: "string" },
        required: true,
        change: "roll",
        description: `More names and addresses for the API server's certificate. ${roll}`,
      },
      component_flags: {
        type: { map: "string" },
        required: true,
        change: "roll",
        description: `Flags by component and name, "kubelet.max-pods" = "50". ${roll}`,
      },
      mirror_binaries: text(`URL of a mirror of the binaries, for machine images that lack them. ${roll}`, true),
      mirror_images: text(`URL of a mirror of the container images. ${roll}`, true),
      mirror_ca: text(`PEM certificates that the mirrors are checked against. ${roll}`, true),
      authorities: {
        type: "number",
        optional: true,
        change: "roll",
        description:
          "Number of the authorities that the document is to carry: the rotation's from its promote on. A machine takes them when every node uses them. Left out: the cluster's first.",
      },
      restore: restoreSpec,
      user_data_parts: {
        optional: true,
        change: "roll",
        description: `More parts of the user-data by file name, after the kit's own. ${roll}`,
        nested: {
          mode: "map",
          attributes: {
            content_type: text(`What cloud-init does with it, "text/cloud-config". ${roll}`),
            content: text(`The part. ${roll}`),
          },
        },
      },
      extra_disks: {
        optional: true,
        change: "roll",
        description: `Disks that come and go with the machine, by name: said here so that a change makes a new release. ${roll}`,
        nested: {
          mode: "map",
          attributes: {
            size_gib: { type: "number", required: true, change: "roll", description: `Size in GiB. ${roll}` },
            type: text(`The vendor's volume type. ${roll}`, true),
          },
        },
      },
      shape: {
        required: true,
        change: "roll",
        description: `What the machine is made of. ${roll}`,
        nested: {
          mode: "single",
          attributes: {
            instance_type: text(`The vendor's machine type. ${roll}`),
            image: text(`The vendor's image. ${roll}`),
            root_disk_gib: { type: "number", required: true, change: "roll", description: `Root disk in GiB. ${roll}` },
          },
        },
      },
    },
  },
};

const lateAttributes = (required: boolean): Readonly<Record<string, Attribute>> => {
  const flag = required ? { required: true } : { computed: true };
  const option = required ? { optional: true } : { computed: true };
  return {
    endpoint_address: { type: "string", ...flag, description: "Address of the endpoint as nodes reach it." },
    address: { type: "string", ...option, description: "The machine's fixed address. Left out: whatever it gets." },
    etcd_disk: { type: "string", ...option, description: "Control planes: name of the etcd disk below /dev/disk/by-id." },
    pki: { type: "string", ...flag, sensitive: true, description: "honest_pki.bundle." },
    members: { type: { map: "string" }, ...flag, description: "Control planes, name to address. Birth data: no part of a release." },
  };
};

const output = (type: "string" | "number", description: string, sensitive = false): Attribute => ({
  type,
  computed: true,
  sensitive,
  description,
});

export const bootSchema: Schema = {
  version: 0,
  description:
    "One machine's user-data and shape, and its pace: when a change of the spec means a new machine, one control plane an apply takes it and the others wait. The vendor's machine takes type, image and user-data from here and from nowhere else.",
  attributes: {
    spec,
    late: {
      required: true,
      sensitive: true,
      description:
        "Inputs that may be unknown at plan. A change is recorded in place and reaches the machine with its next release, one apply later.",
      nested: { mode: "single", attributes: lateAttributes(true) },
    },
    born: { type: "bool", optional: true, description: "honest_pki.born: no ticket for a birth is given once it is true." },
    retired: {
      type: "number",
      optional: true,
      description:
        "Number of the rotation whose predecessors are trusted no more: a machine whose document is older is refused at plan. In place.",
    },
    members: { type: { list: "string" }, optional: true, description: "Names of all control planes. In place." },
    roster: {
      type: { map: "string" },
      required: true,
      description: "Wanted release of every machine of this pool, by name or first part of the name. In place.",
    },
    taints: { type: { list: "string" }, optional: true, description: 'Taints to register with, "key=value:Effect". In place.' },
    labels: { type: { map: "string" }, optional: true, description: "Labels to register with. In place." },
    roll: {
      type: "string",
      default: "one_per_apply",
      description:
        '"one_per_apply", or "in_one_apply": all machines one after the other, when nothing else of the cluster changes. Default one_per_apply.',
    },
    max_unavailable: { type: "number", default: 1, description: "Workers: how many take a release in one apply. Default 1." },
    max_surge: {
      type: "number",
      optional: true,
      description: "Workers: how many more machines than wanted a roll may make. The larger of this and max_unavailable counts.",
    },
    window: {
      optional: true,
      description: "Maintenance window: outside it nothing takes a release. Left out: always open. In place.",
      nested: {
        mode: "single",
        attributes: {
          days: { type: { list: "string" }, optional: true, description: "Days on which it opens, in lower case. Left out: every day." },
          hour: { type: "number", required: true, description: "Hour at which it opens, 0 to 23." },
          duration_hours: { type: "number", required: true, description: "How long it stays open, in hours." },
          timezone: { type: "string", default: "UTC", description: "IANA name of the time zone. Default UTC." },
        },
      },
    },
    access: {
      optional: true,
      sensitive: true,
      description: "How to read the cluster's health. In place.",
      nested: { mode: "single", attributes: accessAttributes },
    },
    restore_source: restoreSource,
    encoding: {
      type: "string",
      default: "gzip_base64",
      description:
        '"gzip_base64", "gzip_base64_text" (the same text, whose length is what the cloud counts) or "plain": how the cloud takes user-data. Default gzip_base64.',
    },
    user_data_limit: { type: "number", default: 16_384, description: "Bytes of user-data that the cloud takes. Default 16384." },
    authorities: output("number", "Number of the authorities that the document of the machine carries; moves only with the release."),
    release: output("string", "Release that the machine has or is about to take."),
    user_data: output("string", "What the machine boots with.", true),
    user_data_bytes: output("number", "Its size as the cloud counts it."),
    version: output("string", "Kubernetes version that the machine has or is about to take; moves only with the release."),
    instance_type: output("string", "Machine type; moves only with the release."),
    image: output("string", "Image; moves only with the release."),
    root_disk_gib: output("number", "Root disk in GiB; moves only with the release."),
    etcd_number: output("number", "Restore that the machine was made for; null: none. Moves only with the release."),
    pending: output("string", "A release that waits for its turn, or null. Why it waits is in the plan's warning."),
    pending_count: output("number", "1 while a release waits, else 0; for pipelines."),
    late_seen: {
      computed: true,
      sensitive: true,
      description: "The late inputs that the next release is made from.",
      nested: { mode: "single", attributes: lateAttributes(false) },
    },
  },
};
