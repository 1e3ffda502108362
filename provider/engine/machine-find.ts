// Finding machines: by id, by name, by the disk they hold; and what a container says about its machine.
import { readMachineFile } from "./archive.js";
import type { Core } from "./core.js";
import { filterOf, idLabel, inputLabel, type Labels, nameLabel } from "./labels.js";
import { type AttachedDisk, disksFile } from "./machine-files.js";

export interface Inspected {
  readonly Id: string;
  readonly Name: string;
  readonly Created: string;
  readonly Image: string;
  readonly RestartCount: number;
  readonly State: {
    readonly Status: string;
    readonly Running: boolean;
    readonly Paused: boolean;
    readonly ExitCode: number;
    readonly Error: string;
  };
  readonly Config: { readonly Labels: Labels | null; readonly Image: string; readonly Tty: boolean };
  readonly NetworkSettings: {
    readonly Networks: Readonly<
      Record<
        string,
        | { readonly NetworkID: string; readonly IPAddress: string; readonly IPAMConfig: { readonly IPv4Address?: string } | null }
        | undefined
      >
    >;
  };
}

export interface MachineRow {
  readonly container: string;
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

interface ListRow {
  readonly Id: string;
  readonly Labels: Labels;
}

const toRow = (row: ListRow): MachineRow => ({
  container: row.Id,
  id: row.Labels[idLabel] ?? "",
  name: row.Labels[nameLabel] ?? "",
  input: row.Labels[inputLabel] ?? "",
});

const list = async (core: Core, filters: string): Promise<readonly MachineRow[]> =>
  (await core.json<readonly ListRow[]>("/containers/json", { query: { all: true, filters } })).map(toRow);

/** Newest first, as the engine lists them. */
export const machinesNamed = (core: Core, cluster: string, name: string): Promise<readonly MachineRow[]> =>
  list(core, filterOf(cluster, "machine", { [nameLabel]: name }));

export const machinesOf = (core: Core, cluster: string): Promise<readonly MachineRow[]> => list(core, filterOf(cluster, "machine"));

export async function inspectMachine(core: Core, cluster: string, id: string): Promise<Inspected | null> {
  const [row] = await list(core, filterOf(cluster, "machine", { [idLabel]: id }));
  return row ? core.find<Inspected>(`/containers/${row.container}/json`) : null;
}

/** The machine's own record of its disks; kept in its file system, so it is there when the machine is stopped too. */
export async function recordedDisks(core: Core, container: string): Promise<readonly AttachedDisk[]> {
  const text = await readMachineFile(core, container, disksFile);
  return text === null ? [] : (JSON.parse(text) as readonly AttachedDisk[]);
}

/** The machine that has the disk, stopped ones included. */
export async function holderOf(core: Core, cluster: string, disk: string): Promise<MachineRow | null> {
  for (const row of await machinesOf(core, cluster)) if ((await recordedDisks(core, row.container)).some((d) => d.id === disk)) return row;
  return null;
}
