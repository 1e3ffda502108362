// The balancer: haproxy with a fixed address on the machines' network, and on a network of its own whose only purpose is
// to publish a port on the engine's host (an internal network cannot).
import { chooseAddress } from "./address.js";
import { hasFile, putFiles, readMachineFile } from "./archive.js";
import { candidatePorts, isPortTaken, portTaken } from "./balancer-port.js";
import type { Core } from "./core.js";
import { EngineError, hasStatus, refused } from "./error.js";
import { execIn } from "./exec.js";
import { type Listener, parseHaproxy, renderHaproxy } from "./haproxy-config.js";
import { filterOf, idLabel, isOurs, type Labels, labelsOf, nameLabel, ownerInWords } from "./labels.js";
import { machineConsole } from "./logs.js";
import { containerNameOf } from "./names.js";
import { readNetwork } from "./network.js";

export interface BalancerSpec extends Listener {
  readonly cluster: string;
  readonly name: string;
  readonly networkId: string;
  readonly address: string;
  readonly image: string;
  /** null: choose one. */
  readonly publishedPort: number | null;
  readonly publishedAddress: string;
}

export interface Balancer extends Listener {
  readonly id: string;
  readonly container: string;
  readonly image: string;
  readonly running: boolean;
  readonly publishedPort: number;
  readonly publishedAddress: string;
}

interface Inspected {
  readonly Id: string;
  readonly Name: string;
  readonly State: { readonly Status: string; readonly Running: boolean; readonly Paused: boolean; readonly ExitCode: number };
  readonly Config: { readonly Image: string; readonly Labels: Labels | null };
  readonly HostConfig: {
    readonly PortBindings: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[]>> | null;
  };
}

const configFile = "/etc/honest-local/haproxy.cfg";
const nextConfigFile = "/etc/honest-local/haproxy.next.cfg";
const claimFile = "/etc/honest-local/claimed";
const edgeName = (container: string): string => `${container}-public`;

const configFiles = (path: string, listener: Listener) => [
  { path: "/etc/honest-local", folder: true as const },
  { path, content: renderHaproxy(listener) },
];

async function ensureEdge(core: Core, spec: BalancerSpec, container: string): Promise<string> {
  const name = edgeName(container);
  const found = await core.find<{ Id: string; Labels: Labels | null }>(`/networks/${name}`);
  if (found) {
    if (isOurs(found.Labels, spec.cluster, "balancer-network")) return name;
    throw refused(
      `The network "${name}" belongs to somebody else`,
      `A network of this name exists on ${core.host}, and ${ownerInWords(found.Labels)}.`,
      `Remove it (docker network rm ${name}) if nobody needs it, or use another cluster name.`,
    );
  }
  await core.json("/networks/create", {
    method: "POST",
    json: {
      Name: name,
      CheckDuplicate: true,
      Driver: "bridge",
      Labels: labelsOf(spec.cluster, "balancer-network", name, { [nameLabel]: spec.name }),
    },
  });
  return name;
}

/** Removes what a killed run has left; refuses what a state owns and what is not ours. */
async function clearWay(core: Core, spec: BalancerSpec, container: string): Promise<void> {
  const found = await core.find<Inspected>(`/containers/${container}/json`);
  if (!found) return;
  if (!isOurs(found.Config.Labels, spec.cluster, "balancer"))
    throw refused(
      `The container "${container}" belongs to somebody else`,
      `A container of this name exists on ${core.host}, and ${ownerInWords(found.Config.Labels)}.`,
      `Remove it (docker rm -f ${container}) if nobody needs it, or use another cluster name.`,
    );
  if (await hasFile(core, found.Id, claimFile))
    throw refused(
      `The balancer "${spec.name}" exists already`,
      `The container "${container}" of the cluster "${spec.cluster}" belongs to a Terraform state that is not this one.`,
      `Use another cluster name, destroy that cluster, or remove the balancer if its state is lost: docker rm -f ${container}`,
    );
  await core.drop(`/containers/${found.Id}`, { force: true, v: true });
}

async function runContainer(core: Core, spec: BalancerSpec, container: string, id: string, port: number): Promise<void> {
  const network = await readNetwork(core, spec.networkId);
  if (!network)
    throw refused(
      "The network of the balancer does not exist",
      `${core.host} has no network ${spec.networkId}, which the balancer "${spec.name}" is to join.`,
      "Run terraform apply again: the next plan makes the network anew.",
    );
  const edge = await ensureEdge(core, spec, container);
  await core.lock(`addresses:${spec.networkId}`, async () => {
    const address = await chooseAddress(core, { name: network.engineName, cidr: network.cidr }, spec.address);
    await core.json("/containers/create", {
      method: "POST",
      query: { name: container },
      json: {
        Image: spec.image,
        Hostname: container.slice(0, 63),
        Entrypoint: ["haproxy", "-W", "-db", "-f", configFile],
        Cmd: [],
        StopSignal: "SIGUSR1",
        ExposedPorts: { [`${spec.port}/tcp`]: {} },
        Labels: labelsOf(spec.cluster, "balancer", id, { [nameLabel]: spec.name }),
        HostConfig: {
          NetworkMode: edge,
          PortBindings: { [`${spec.port}/tcp`]: [{ HostIp: spec.publishedAddress, HostPort: String(port) }] },
          Tmpfs: { "/run": "" },
          // Nothing in it needs care at a start, unlike a machine.
          RestartPolicy: { Name: "unless-stopped" },
          LogConfig: { Type: "json-file", Config: { "max-size": "2m", "max-file": "2" } },
        },
        NetworkingConfig: { EndpointsConfig: { [edge]: {} } },
      },
    });
    const joined = await core.call(`/networks/${spec.networkId}/connect`, {
      method: "POST",
      json: { Container: container, EndpointConfig: { IPAMConfig: { IPv4Address: address } } },
    });
    await joined.bytes();
  });
  await putFiles(core, container, configFiles(configFile, spec));
  await start(core, container);
}

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

async function start(core: Core, container: string): Promise<void> {
  await (await core.call(`/containers/${container}/start`, { method: "POST" })).bytes();
  await sleep(300);
  const now = await core.find<Inspected>(`/containers/${container}/json`);
  if (now?.State.Running && now.State.Status !== "restarting") return;
  throw new EngineError("refused", {
    what: `The balancer "${container}" ended at once`,
    detail: `haproxy ended with code ${now?.State.ExitCode ?? "unknown"}:\n${(await machineConsole(core, container, 20)).trim() || "(nothing)"}`,
    fix: "See that its image has haproxy and that the backends are given as address:port.",
  });
}

/** Runs it on the first port that the engine takes. */
async function place(core: Core, spec: BalancerSpec, container: string, id: string): Promise<void> {
  const ports = spec.publishedPort === null ? [...candidatePorts(container)] : [spec.publishedPort];
  for (const [n, port] of ports.entries()) {
    try {
      return await runContainer(core, spec, container, id, port);
    } catch (cause) {
      await core.withSignal(AbortSignal.timeout(15_000)).drop(`/containers/${container}`, { force: true, v: true });
      if (hasStatus(cause, 404) && /no such image/i.test(cause.detail))
        throw refused(
          `The image "${spec.image}" is not in the engine`,
          `${core.host} has no image of this name, and the balancer "${spec.name}" is to be made of it.`,
          "Images honest-paas/machine:<version> are built on demand; any other must be loaded into the engine first.",
        );
      if (!isPortTaken(cause)) throw cause;
      if (n === ports.length - 1) throw await portTaken(core, spec.publishedAddress, port, cause);
    }
  }
}

async function dropEdge(core: Core, cluster: string, container: string): Promise<void> {
  const name = edgeName(container);
  const found = await core.find<{ Labels: Labels | null }>(`/networks/${name}`);
  if (found && isOurs(found.Labels, cluster, "balancer-network")) await core.drop(`/networks/${name}`);
}

export async function createBalancer(core: Core, spec: BalancerSpec, id: string): Promise<Balancer> {
  const container = containerNameOf(spec.cluster, spec.name);
  await clearWay(core, spec, container);
  try {
    await place(core, spec, container, id);
  } catch (cause) {
    if (!(cause instanceof EngineError && cause.kind === "unreachable"))
      await dropEdge(core.withSignal(AbortSignal.timeout(15_000)), spec.cluster, container);
    throw cause;
  }
  return mustRead(core, spec.cluster, id);
}

const find = async (core: Core, cluster: string, id: string): Promise<Inspected | null> => {
  const rows = await core.json<readonly { readonly Id: string }[]>("/containers/json", {
    query: { all: true, filters: filterOf(cluster, "balancer", { [idLabel]: id }) },
  });
  return rows[0] ? core.find<Inspected>(`/containers/${rows[0].Id}/json`) : null;
};

export async function readBalancer(core: Core, cluster: string, id: string): Promise<Balancer | null> {
  const found = await find(core, cluster, id);
  if (!found || found.State.Status === "removing" || found.State.Status === "dead") return null;
  const [binding] = Object.values(found.HostConfig.PortBindings ?? {})[0] ?? [];
  const config = await readMachineFile(core, found.Id, configFile);
  const listener = parseHaproxy(config ?? "");
  return {
    id,
    container: found.Name.replace("/", ""),
    image: found.Config.Image,
    running: found.State.Running && !found.State.Paused,
    publishedPort: Number(binding?.HostPort ?? 0),
    publishedAddress: binding?.HostIp ?? "",
    port: listener?.port ?? 0,
    backends: listener?.backends ?? {},
  };
}

/** Reads it for a state: from now on it is that state's own, not a leftover of a killed run. */
export async function claimBalancer(core: Core, cluster: string, id: string): Promise<Balancer | null> {
  const balancer = await readBalancer(core, cluster, id);
  if (!balancer || (await hasFile(core, balancer.container, claimFile))) return balancer;
  try {
    await putFiles(core, balancer.container, [{ path: claimFile, content: "" }]);
    return balancer;
  } catch (cause) {
    // removed meanwhile
    if (hasStatus(cause, 404)) return null;
    throw cause;
  }
}

async function mustRead(core: Core, cluster: string, id: string): Promise<Balancer> {
  const balancer = await readBalancer(core, cluster, id);
  if (balancer) return balancer;
  throw refused("The balancer vanished", "It was removed while it was being worked on.", "Apply again.");
}

/** New backends reach a running haproxy without a lost connection; a bad configuration never reaches it. */
async function reload(core: Core, container: string, listener: Listener): Promise<void> {
  await putFiles(core, container, configFiles(nextConfigFile, listener));
  const checked = await execIn(core, container, ["haproxy", "-c", "-f", nextConfigFile]);
  if (checked.code !== 0)
    throw refused(
      "haproxy refuses the new configuration",
      (checked.stderr || checked.stdout).trim(),
      "See that the backends are given as address:port and their names have letters, digits, dots and dashes only.",
    );
  await putFiles(core, container, configFiles(configFile, listener));
  await (await core.call(`/containers/${container}/kill`, { method: "POST", query: { signal: "SIGUSR2" } })).bytes();
}

/** Brings the balancer to what the spec says: by a reload, or anew on the same address when image or port differ. */
export async function updateBalancer(core: Core, spec: BalancerSpec, id: string): Promise<Balancer> {
  const now = await mustRead(core, spec.cluster, id);
  const port = spec.publishedPort ?? now.publishedPort;
  if (now.image !== spec.image || now.publishedPort !== port || now.publishedAddress !== spec.publishedAddress || now.port !== spec.port) {
    await core.drop(`/containers/${now.container}`, { force: true, v: true });
    await place(core, { ...spec, publishedPort: port }, now.container, id);
    return mustRead(core, spec.cluster, id);
  }
  if (now.running) await reload(core, now.container, spec);
  else {
    const paused = (await find(core, spec.cluster, id))?.State.Paused === true;
    if (paused) await (await core.call(`/containers/${now.container}/unpause`, { method: "POST" })).bytes();
    else {
      await putFiles(core, now.container, configFiles(configFile, spec));
      try {
        await start(core, now.container);
      } catch (cause) {
        throw isPortTaken(cause) ? await portTaken(core, spec.publishedAddress, port, cause) : cause;
      }
    }
    if (paused) await reload(core, now.container, spec);
  }
  return mustRead(core, spec.cluster, id);
}

export async function deleteBalancer(core: Core, cluster: string, name: string, id: string): Promise<void> {
  const found = await find(core, cluster, id);
  // Its network first, for which it must stand still: cut off in between, the container is what the next run finds.
  if (found) await (await core.call(`/containers/${found.Id}/stop`, { method: "POST", query: { t: 1 } })).bytes();
  await dropEdge(core, cluster, found ? found.Name.replace("/", "") : containerNameOf(cluster, name));
  if (found) await core.drop(`/containers/${found.Id}`, { force: true, v: true });
}
