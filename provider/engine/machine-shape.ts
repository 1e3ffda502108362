// Machine types of the local IaaS: processors and memory, as limits of a container.

export interface MachineShape {
  readonly cpus: number;
  readonly memoryMib: number;
}

export const shapeForms = '"local.cpu<CPUS>.mem<MiB>" or "<CPUS>x<MiB>", for example "local.cpu2.mem2048"; at least 128 MiB';

/** null when the text is no machine type. */
export function parseShape(text: string): MachineShape | null {
  const [, cpus, memory] = /^local\.cpu(\d+(?:\.\d+)?)\.mem(\d+)$/.exec(text) ?? /^(\d+(?:\.\d+)?)x(\d+)$/.exec(text) ?? [];
  const shape = { cpus: Number(cpus), memoryMib: Number(memory) };
  return shape.cpus >= 0.1 && shape.cpus <= 512 && shape.memoryMib >= 128 ? shape : null;
}
