// Terraform writes a local state in place, truncating it first: a kill -9 in that moment leaves nothing, and with it every
// id and key. So each state that can be parsed is copied beside it, and put back when the file is empty or older.
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

interface StateHead {
  readonly serial: number;
  readonly lineage: string;
}

export const copyOf = (stateFile: string): string => `${stateFile}.good`;

function headOf(text: string): StateHead | undefined {
  try {
    const { serial, lineage } = JSON.parse(text) as Partial<StateHead>;
    return typeof serial === "number" && typeof lineage === "string" ? { serial, lineage } : undefined;
  } catch {
    // half-written or empty: the very case this file is for
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

function writeDurably(path: string, text: string): void {
  const beside = `${path}.${process.pid}.part`;
  const file = openSync(beside, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const newer = (a: StateHead, b: StateHead): boolean => a.lineage !== b.lineage || a.serial > b.serial;

/** Copies the state if it is whole and not the one copied already. True when it did. */
export function keepState(stateFile: string): boolean {
  const text = readText(stateFile);
  const head = text === undefined ? undefined : headOf(text);
  if (text === undefined || !head) return false;
  const kept = headOf(readText(copyOf(stateFile)) ?? "");
  if (kept && !newer(head, kept)) return false;
  writeDurably(copyOf(stateFile), text);
  return true;
}

export interface Restored {
  readonly serial: number;
  readonly reason: string;
}

/** Puts the copy back when the state is empty, cut or older; a state of another lineage is the user's own business. */
export function restoreState(stateFile: string): Restored | undefined {
  const copy = readText(copyOf(stateFile));
  const kept = copy === undefined ? undefined : headOf(copy);
  const text = readText(stateFile);
  if (copy === undefined || !kept) return undefined;
  const head = text === undefined ? undefined : headOf(text);
  if (head && (head.lineage !== kept.lineage || head.serial >= kept.serial)) return undefined;
  const reason = head
    ? `its serial ${head.serial} is lower than ${kept.serial}`
    : text === undefined
      ? "it is missing"
      : text === ""
        ? "it is empty"
        : "it is cut off";
  // what was there may still hold something that a person can read
  if (text && existsSync(stateFile)) copyFileSync(stateFile, `${stateFile}.broken`);
  writeDurably(stateFile, copy);
  return { serial: kept.serial, reason };
}
