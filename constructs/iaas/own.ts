// The kit's own resources, the same on every cloud: trust, boot data and pace, memberships, barrier.

import type { BlockKind } from "../blueprint/block.js";
import type { Blueprint, ControlPlane, Member, NodeGroup } from "../blueprint/blueprint.js";
import type { BootOutputs, Limits, Outputs } from "./mapping.js";
import { type Arg, type Args, present, ref, text, type VendorResource } from "./resource.js";

export const pkiName = "pki";
export const barrierName = "barrier";
export const bootName = (member: Member): string => `${member.id}/boot`;
export const nodeName = (member: Member): string => `${member.id}/node`;

/**
 * URL of the API for whoever runs Terraform. A public address is known when the cloud has given it: at the first plan it is
 * unknown, and what asks the cluster waits for it.
 */
export function endpointUrl({ endpoint }: Blueprint, publicHost: Arg | null): Arg {
  if (endpoint.url !== null) return endpoint.url;
  if (publicHost === null) throw new TypeError("a public endpoint passed unhonoured()");
  return text("https://", publicHost, `:${endpoint.port}`);
}

/** Endpoint and trust come from the spec, from an address and from pki, never from a machine: workers are replaced by a
 * successor that stands first, and nothing that they depend on may be part of the control plane. */
export const access = ({ blueprint: { endpoint }, url }: Place): Args => ({
  endpoint: url,
  ...(endpoint.serverName === null ? {} : { server_name: endpoint.serverName }),
  ca_bundle: ref(pkiName, "ca_bundle"),
  client_ca_cert: ref(pkiName, "client_ca_cert"),
  client_ca_key: ref(pkiName, "client_ca_key"),
});

export const pki = ({ blueprint: { cluster, certificates, protected: kept }, url }: Place): VendorResource => ({
  type: "honest_pki",
  name: pkiName,
  args: present({
    cluster,
    endpoint: url,
    ca_hours: certificates.caHours,
    leaf_lifetime: certificates.lifetime,
    ticket_minutes: certificates.ticketMinutes,
    rotation: certificates.rotation && { ...certificates.rotation },
  }),
  lifecycle: { preventDestroy: kept },
});

const releases = (members: readonly Member[]): Args => Object.fromEntries(members.map((member) => [member.name, member.release]));
const controlPlaneNames = (blueprint: Blueprint): readonly string[] => blueprint.controlPlanes.map((member) => member.name);
const controlPlaneAddresses = (blueprint: Blueprint): Args =>
  Object.fromEntries(blueprint.controlPlanes.map((member) => [member.name, member.address]));

/** Number of the rotation after which only its authorities are trusted. */
const retired = ({ certificates: { rotation } }: Blueprint): number | null => (rotation?.state === "retire" ? rotation.number : null);

/** A cluster on its cloud: what the kit's own resources are made of. */
export interface Place {
  readonly blueprint: Blueprint;
  readonly limits: Limits;
  readonly outputs: Outputs;
  /** Of the API, for whoever runs Terraform. */
  readonly url: Arg;
}

interface Pace {
  readonly roster: Args;
  readonly late: Args;
  readonly max_surge: number | null;
}

function machine({ spec: { restore, ...spec } }: Member): Args {
  const whole = { ...spec, shape: { ...spec.shape }, ...(restore ? { restore: { ...restore } } : {}) };
  return whole as unknown as Args;
}

function boot(place: Place, member: Member, pace: Pace): VendorResource {
  const { blueprint, limits } = place;
  return {
    type: "honest_boot",
    name: bootName(member),
    args: present({
      spec: machine(member),
      late: { endpoint_address: member.endpointAddress, pki: ref(pkiName, "bundle"), ...pace.late },
      born: ref(pkiName, "born"),
      retired: retired(blueprint),
      members: controlPlaneNames(blueprint),
      roster: pace.roster,
      // A control plane's own taint is the boot stage's; twice, kubelet would not register.
      taints: member.role === "worker" ? member.taints : [],
      labels: member.labels,
      roll: blueprint.roll,
      max_surge: pace.max_surge,
      window: blueprint.window && { ...blueprint.window },
      restore_source: member.role === "control-plane" && blueprint.restore ? { ...blueprint.restore } : null,
      access: access(place),
      encoding: limits.userDataEncoding,
      user_data_limit: limits.userDataBytes,
    }),
  };
}

export const controlPlaneBoot = (place: Place, member: ControlPlane): VendorResource =>
  boot(place, member, {
    roster: releases(place.blueprint.controlPlanes),
    late: {
      address: member.address,
      etcd_disk: place.outputs.diskDevice(member.disk),
      members: controlPlaneAddresses(place.blueprint),
    },
    max_surge: null,
  });

export const workerBoot = (place: Place, group: NodeGroup, member: Member): VendorResource => ({
  ...boot(place, member, { roster: releases(group.workers), late: { members: {} }, max_surge: group.maxSurge }),
  lifecycle: { createBeforeDestroy: true },
});

export const bootOutputs = (member: Member): BootOutputs => {
  const from = bootName(member);
  return {
    instanceType: ref(from, "instance_type"),
    image: ref(from, "image"),
    rootDiskGib: ref(from, "root_disk_gib"),
    userData: ref(from, "user_data"),
  };
};

/** Kinds of blocks that stand between the machine that runs Terraform and the API. */
export const onTheWay: readonly BlockKind[] = ["network", "subnet", "firewall", "address", "balancer"];

function node(place: Place, member: Member, address: Arg): VendorResource {
  const { blueprint, outputs } = place;
  return {
    type: "honest_node",
    name: nodeName(member),
    args: {
      cluster: blueprint.cluster,
      name: member.name,
      role: member.role,
      pool: member.pool,
      vm_id: outputs.machineId(member.machine),
      release: ref(bootName(member), "release"),
      ...(member.spec.restore ? { etcd_number: ref(bootName(member), "etcd_number") } : {}),
      address,
      members: controlPlaneNames(blueprint),
      labels: member.labels,
      taints: member.taints,
      token_seed: ref(pkiName, "token_seed"),
      access: access(place),
      drain_timeout_sec: member.drainTimeoutSec,
    },
  };
}

/** Depends on everything between here and the API: its destroy still needs them. */
export const controlPlaneNode = (place: Place, member: ControlPlane, onWay: readonly string[]): VendorResource => {
  const { args, ...rest } = node(place, member, member.address);
  return { ...rest, args: { ...args, version: ref(bootName(member), "version") }, dependsOn: onWay };
};

export const workerNode = (place: Place, member: Member, besides: readonly string[]): VendorResource => ({
  ...node(place, member, place.outputs.machineAddress(member.machine)),
  ...(besides.length ? { dependsOn: besides } : {}),
  lifecycle: { createBeforeDestroy: true },
});

function backup({ backup: { target, ...rest } }: Blueprint): Args {
  return present({ ...rest, target: target && { ...target, s3: present({ ...target.s3 }) } });
}

export function barrier(place: Place, everything: readonly string[]): VendorResource {
  const { blueprint, limits, outputs } = place;
  const workers = blueprint.groups.flatMap((group) => group.workers);
  return {
    type: "honest_barrier",
    name: barrierName,
    args: {
      cluster: blueprint.cluster,
      version: blueprint.version,
      uid: ref(pkiName, "uid"),
      pod_ipv4_cidr: blueprint.podCidr,
      service_ipv4_cidr: blueprint.serviceCidr,
      cni: blueprint.cni,
      endpoint_name: blueprint.endpoint.name,
      endpoint_port: blueprint.endpoint.port,
      members: controlPlaneAddresses(blueprint),
      workers: Object.fromEntries(
        workers.map((member) => [
          member.name,
          {
            vm_id: outputs.machineId(member.machine),
            release: ref(bootName(member), "release"),
            address: outputs.machineAddress(member.machine),
            version: member.spec.version,
          },
        ]),
      ),
      token_seed: ref(pkiName, "token_seed"),
      ...(blueprint.certificates.rotation === null ? {} : { rotation: ref(pkiName, "rotation_set") }),
      ...(blueprint.restoreNumber > 0 ? { restore_number: blueprint.restoreNumber } : {}),
      certificate_lifetime: blueprint.certificates.lifetime,
      certificate_renew_before: blueprint.certificates.renewBefore,
      backup: backup(blueprint),
      self_heal: blueprint.selfHeal,
      ...(limits.podTraffic === "tunnelled" ? { pod_traffic: "tunnelled" } : {}),
      access: access(place),
      deletion_protection: blueprint.protected,
      on_destroy_volumes: blueprint.onDestroyVolumes,
    },
    dependsOn: everything,
    lifecycle: { preventDestroy: blueprint.protected },
  };
}
