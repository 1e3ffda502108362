// Networks: one bridge per cluster, without a way out unless asked: a machine that dials the service network before
// kube-proxy is up must not meet whatever answers outside.
import { gatewayOf, overlaps, parseCidr, type Range } from "./address.js";
import type { Core } from "./core.js";
import { EngineError, hasStatus, refused } from "./error.js";
import { clashingRoute, wordRange } from "./host-routes.js";
import { digestOf, inputLabel, isOurs, type Labels, labelsOf, nameLabel, ownerInWords } from "./labels.js";
import { dropMark, hasMark, setMark } from "./mark.js";
import { containerNameOf } from "./names.js";
import { sweepCluster } from "./sweep.js";

export interface NetworkSpec {
  readonly cluster: string;
  readonly name: string;
  readonly cidr: string;
  readonly internal: boolean;
  readonly mtu: number | null;
}
export interface Network {
  readonly id: string;
  /** The engine's name of it. */
  readonly engineName: string;
  readonly cidr: string;
  readonly gateway: string;
  readonly internal: boolean;
}

interface Found {
  readonly Id: string;
  readonly Name: string;
  readonly Options?: Readonly<Record<string, string>> | null;
  readonly IPAM: { readonly Config: readonly { readonly Subnet?: string; readonly Gateway?: string }[] | null };
  readonly Labels: Labels | null;
  readonly Containers?: Readonly<Record<string, { readonly Name: string }>> | null;
}

/**
 * Without masquerading nothing that leaves the network gets an answer, and its machines route everything else to where
 * nobody listens (machine-files.ts). The engine's own "internal" is not used: where bridges pass the host's packet filter
 * (br_netfilter, usual on container hosts) it drops whatever has a pod's address, also between two machines.
 */
const masquerade = "com.docker.network.bridge.enable_ip_masquerade";

const toNetwork = (found: Found): Network => {
  const config = found.IPAM.Config?.[0];
  const range = parseCidr(config?.Subnet ?? "");
  return {
    id: found.Id,
    engineName: found.Name,
    cidr: config?.Subnet ?? "",
    gateway: config?.Gateway || (range ? gatewayOf(range) : ""),
    internal: found.Options?.[masquerade] === "false",
  };
};

const inputOf = (spec: NetworkSpec): string => digestOf(spec.cidr, spec.internal, spec.mtu);

/** Which network has a part of the range, in words; "" for none. The engine itself does not say. */
async function overlapping(core: Core, range: Range): Promise<string> {
  const all = await core.json<readonly Found[]>("/networks");
  const hit = all.find((n) =>
    (n.IPAM.Config ?? []).some((c) => {
      const other = parseCidr(c.Subnet ?? "");
      return other !== null && overlaps(range, other);
    }),
  );
  return hit ? `The network "${hit.Name}" has ${hit.IPAM.Config?.map((c) => c.Subnet).join(", ")}; ${ownerInWords(hit.Labels)}.` : "";
}

const otherRange =
  "Give another range: cidr of honest_local_network, vpc_config.cidr in a cluster's spec; honest-paas demo takes another one for another name (HONEST_DEMO_NAME).";

/** Refuses a range that is somebody's already: a network of the engine, or what the engine's host reaches another way. */
async function refuseTaken(core: Core, cidr: string, name: string, cause?: EngineError): Promise<void> {
  const range = parseCidr(cidr);
  const network = range ? await overlapping(core, range) : "";
  const route = range && !network ? clashingRoute(core.host, range) : undefined;
  const who = route ? `The engine's host has a route to ${wordRange(route.range)} by ${route.device}.` : network;
  if (!who && !cause) return;
  throw new EngineError("refused", {
    what: `The range ${cidr} is taken`,
    detail: [`${core.host} cannot make the network "${name}"${cause ? `: ${cause.detail}` : ""}.`, who].filter(Boolean).join(" "),
    fix: otherRange,
    cause,
  });
}

/** Makes the network, or takes the one that an interrupted run of ours has made. */
export async function createNetwork(core: Core, spec: NetworkSpec): Promise<Network> {
  const name = containerNameOf(spec.cluster, spec.name);
  const existing = (await core.json<readonly Found[]>("/networks", { query: { filters: JSON.stringify({ name: [`^${name}$`] }) } })).find(
    (n) => n.Name === name,
  );
  if (existing) {
    if (!isOurs(existing.Labels, spec.cluster, "network"))
      throw refused(
        `The network "${name}" belongs to somebody else`,
        `A network of this name exists on ${core.host}, and ${ownerInWords(existing.Labels)}.`,
        `Remove it (docker network rm ${name}) if nobody needs it, or use another cluster name.`,
      );
    if (await hasMark(core, spec.cluster, name))
      throw refused(
        `The network "${name}" belongs to another state`,
        `The cluster "${spec.cluster}" exists on ${core.host} already, and a Terraform state has it that is not this one.`,
        "Use another cluster name, or destroy that cluster first. If its state is lost: honest-paas demo destroy, or remove every object labelled " +
          `honest-paas.dev/cluster=${spec.cluster}.`,
      );
    if (existing.Labels?.[inputLabel] === inputOf(spec)) return toNetwork(existing);
    // Made by an interrupted run for other inputs: nothing is on it yet.
    await removeNetwork(core, existing.Id, name);
  }
  await dropMark(core, spec.cluster, name);
  await refuseTaken(core, spec.cidr, name);
  const range = parseCidr(spec.cidr);
  try {
    const { Id } = await core.json<{ Id: string }>("/networks/create", {
      method: "POST",
      json: {
        Name: name,
        CheckDuplicate: true,
        Driver: "bridge",
        IPAM: { Driver: "default", Config: [{ Subnet: spec.cidr, ...(range ? { Gateway: gatewayOf(range) } : {}) }] },
        Options: {
          [masquerade]: String(!spec.internal),
          ...(spec.mtu === null ? {} : { "com.docker.network.driver.mtu": String(spec.mtu) }),
        },
        Labels: labelsOf(spec.cluster, "network", name, { [nameLabel]: spec.name, [inputLabel]: inputOf(spec) }),
      },
    });
    const made = await core.find<Found>(`/networks/${Id}`);
    if (!made)
      throw new EngineError("answer", { what: `The network "${name}" vanished`, detail: "It was removed while it was being made." });
    return toNetwork(made);
  } catch (cause) {
    // made by somebody else between the look and the create
    if (cause instanceof EngineError && /overlap/i.test(cause.detail)) await refuseTaken(core, spec.cidr, name, cause);
    throw cause;
  }
}

export async function readNetwork(core: Core, id: string): Promise<Network | null> {
  const found = await core.find<Found>(`/networks/${id}`);
  return found ? toNetwork(found) : null;
}

/** Reads it for a state: from now on the network is that state's own. */
export async function claimNetwork(core: Core, cluster: string, id: string): Promise<Network | null> {
  const network = await readNetwork(core, id);
  if (network) await setMark(core, cluster, network.engineName);
  return network;
}

async function removeNetwork(core: Core, id: string, name: string): Promise<void> {
  try {
    await core.drop(`/networks/${id}`);
  } catch (cause) {
    if (!hasStatus(cause, 403, 409)) throw cause;
    const found = await core.find<Found>(`/networks/${id}`);
    const names = Object.values(found?.Containers ?? {}).map((c) => c.Name);
    throw new EngineError("refused", {
      what: `The network "${name}" is in use`,
      detail: names.length > 0 ? `These containers are on it: ${names.join(", ")}.` : (cause as EngineError).detail,
      fix: "Remove them first; containers that Terraform does not know must be removed by hand (docker rm -f NAME).",
      cause,
    });
  }
}

export async function deleteNetwork(core: Core, cluster: string, id: string): Promise<void> {
  const found = await core.find<Found>(`/networks/${id}`);
  // Whatever is left of machines that vanished behind Terraform's back: nobody else would ever remove it. The network goes
  // last: cut off in between, it is what the next run finds.
  await sweepCluster(core, cluster);
  if (found) await dropMark(core, cluster, found.Name);
  if (found) await removeNetwork(core, id, found.Name);
}
