// Makes a machine, or takes up the one that an interrupted run has begun.
import { randomBytes } from "node:crypto";
import { chooseAddress } from "./address.js";
import { hasFile, putFiles } from "./archive.js";
import type { Core } from "./core.js";
import { EngineError, hasStatus, refused } from "./error.js";
import { digestOf, inputLabel, isOurs, type Labels, labelsOf, nameLabel, ownerInWords, zoneLabel } from "./labels.js";
import { containerBody, dataFolders } from "./machine-container.js";
import { dropMachine } from "./machine-delete.js";
import { takeDisks } from "./machine-disks.js";
import { claimFile, machineFiles } from "./machine-files.js";
import { type Inspected, inspectMachine, machinesNamed } from "./machine-find.js";
import { type Machine, toMachine } from "./machine-read.js";
import type { MachineShape } from "./machine-shape.js";
import { startContainer, startMachine } from "./machine-start.js";
import { containerNameOf, dataVolumeName } from "./names.js";
import { readNetwork } from "./network.js";
import { sweepMachineData } from "./sweep.js";

export interface MachineSpec {
  readonly cluster: string;
  readonly name: string;
  readonly networkId: string;
  /** A given address makes the machine the only one of its name; others may have a successor beside them. */
  readonly address: string | null;
  readonly zone: string | null;
  readonly image: string;
  readonly shape: MachineShape;
  readonly userData: Uint8Array;
  readonly hostname: string | null;
  readonly diskIds: readonly string[];
  /** Name of the container of a machine without a given address. */
  readonly nameFor: (id: string) => string;
}

export const newMachineId = (): string => `i-${randomBytes(6).toString("hex")}`;

const inputOf = (spec: MachineSpec): string =>
  digestOf(
    spec.networkId,
    spec.address,
    spec.zone,
    spec.image,
    spec.shape.cpus,
    spec.shape.memoryMib,
    Buffer.from(spec.userData).toString("base64"),
    spec.hostname,
  );

/** What an interrupted create of this very machine has left, or null. Leftovers for other inputs are removed. */
async function takeUp(core: Core, spec: MachineSpec, containerName: string): Promise<Inspected | null> {
  let found: Inspected | null = null;
  for (const row of await machinesNamed(core, spec.cluster, spec.name)) {
    if (await hasFile(core, row.container, claimFile)) {
      if (spec.address === null) continue;
      throw refused(
        `The machine "${spec.name}" exists already`,
        `The container "${containerName}" (${row.id}) of the cluster "${spec.cluster}" belongs to a Terraform state that is not this one.`,
        `Use another cluster name, destroy that cluster, or remove the machine if its state is lost: docker rm -f ${containerName}`,
      );
    }
    const container = await core.find<Inspected>(`/containers/${row.container}/json`);
    if (!container) continue;
    if (found === null && row.input === inputOf(spec)) found = container;
    else await dropMachine(core, spec.cluster, row.id, container);
  }
  return found;
}

async function refuseForeign(core: Core, cluster: string, containerName: string): Promise<void> {
  const taken = await core.find<{ Config: { Labels: Labels | null } }>(`/containers/${containerName}/json`);
  if (!taken || isOurs(taken.Config.Labels, cluster, "machine")) return;
  throw refused(
    `The container "${containerName}" belongs to somebody else`,
    `A container of this name exists on ${core.host}, and ${ownerInWords(taken.Config.Labels)}.`,
    `Remove it (docker rm -f ${containerName}) if nobody needs it, or use another cluster name.`,
  );
}

async function makeVolumes(core: Core, spec: MachineSpec, id: string): Promise<void> {
  for (const folder of Object.keys(dataFolders)) {
    const name = dataVolumeName(spec.cluster, id, folder);
    await core.json("/volumes/create", {
      method: "POST",
      json: { Name: name, Labels: labelsOf(spec.cluster, "machine-data", id, { [nameLabel]: spec.name }) },
    });
  }
}

async function makeContainer(
  core: Core,
  spec: MachineSpec,
  id: string,
  containerName: string,
  network: { name: string; cidr: string },
): Promise<string> {
  await makeVolumes(core, spec, id);
  // The engine notes an address at the start of a container only, so choosing and noting is one step for this process.
  return core.lock(`addresses:${spec.networkId}`, async () => {
    const address = await chooseAddress(core, network, spec.address);
    const body = await containerBody(core, {
      cluster: spec.cluster,
      id,
      image: spec.image,
      hostname: spec.hostname ?? spec.name,
      shape: spec.shape,
      network: network.name,
      address,
      labels: labelsOf(spec.cluster, "machine", id, {
        [nameLabel]: spec.name,
        [inputLabel]: inputOf(spec),
        ...(spec.zone === null ? {} : { [zoneLabel]: spec.zone }),
      }),
    });
    const { Id } = await core.json<{ Id: string }>("/containers/create", { method: "POST", query: { name: containerName }, json: body });
    return Id;
  });
}

const idOf = (found: Inspected): string => found.Config.Labels?.["honest-paas.dev/id"] ?? "";

export async function createMachine(core: Core, spec: MachineSpec): Promise<Machine> {
  return core.lock(`machine:${spec.cluster}:${spec.name}`, async () => {
    const network = await readNetwork(core, spec.networkId);
    if (!network)
      throw refused(
        "The network of the machine does not exist",
        `${core.host} has no network ${spec.networkId}, which the machine "${spec.name}" is to join.`,
        "Run terraform apply again: the next plan makes the network anew.",
      );
    const fixedName = containerNameOf(spec.cluster, spec.name);
    const found = await takeUp(core, spec, fixedName);
    await sweepMachineData(core, spec.cluster, spec.name);
    const id = found ? idOf(found) : newMachineId();
    const containerName = spec.address === null ? containerNameOf(spec.cluster, spec.nameFor(id)) : fixedName;
    if (!found) await refuseForeign(core, spec.cluster, containerName);
    try {
      const container = found?.Id ?? (await makeContainer(core, spec, id, containerName, { name: network.engineName, cidr: network.cidr }));
      if (found === null || found.State.Status === "created") {
        const disks = await takeDisks(core, spec.cluster, id, spec.image, spec.diskIds);
        const { gateway, internal } = network;
        await putFiles(
          core,
          container,
          machineFiles({ id, hostname: spec.hostname ?? spec.name, userData: spec.userData, disks, gateway, internal }),
        );
        await startContainer(core, container, containerName);
      } else {
        await startMachine(core, spec.cluster, id, found);
      }
      const made = await inspectMachine(core, spec.cluster, id);
      if (!made) throw refused(`The machine "${spec.name}" vanished`, "It was removed while it was being made.", "Apply again.");
      return await toMachine(core, made);
    } catch (cause) {
      throw await cleanUp(core, spec, id, cause);
    }
  });
}

/** A machine that could not be made leaves nothing; what cannot be removed now is found again by the next create. */
async function cleanUp(core: Core, spec: MachineSpec, id: string, cause: unknown): Promise<unknown> {
  if (cause instanceof EngineError && cause.kind === "unreachable") return cause;
  const patient = core.withSignal(AbortSignal.timeout(30_000));
  try {
    await dropMachine(patient, spec.cluster, id, await inspectMachine(patient, spec.cluster, id));
  } catch (second) {
    if (!(second instanceof EngineError)) throw second;
  }
  if (hasStatus(cause, 404) && /no such image/i.test(cause.detail))
    return new EngineError("refused", {
      what: `The image "${spec.image}" is not in the engine`,
      detail: `${core.host} has no image of this name, and the machine "${spec.name}" is to be made of it.`,
      fix: "Images honest-paas/machine:<version> are built on demand (honest-paas image build); any other must be loaded into the engine first.",
      cause,
    });
  return cause;
}
