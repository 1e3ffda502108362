// What an apply has made, on disk while it runs: Terraform stores a resource when its apply has answered, and an answer that
// never came would leave machines that nobody knows of. The file is believed only when the state is still the one that the
// lost apply began with, which a number in both tells.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ObjectValue } from "../../framework/value.js";
import { type Inventory, nothing } from "../../managed/instance.js";
import { text } from "../cluster/decode.js";

/** How many applies have been at it, and what they left. */
export interface Stock {
  readonly serial: number;
  readonly objects: Inventory;
}

const empty: Stock = { serial: 0, objects: nothing };

/** As the attribute `inventory` has it; null: nothing was made yet. */
export function stockOf(value: ObjectValue | null): Stock {
  const held = text(value?.inventory);
  return held === null ? empty : (JSON.parse(held) as Stock);
}

/** Beside the log, below Terraform's own folder. Holds keys, as the state does: only its owner may read it. */
export const unsavedPath = (name: string): string => join(process.env.TF_DATA_DIR || ".terraform", "honest-paas", `${name}.unsaved.json`);

export interface Found {
  readonly stock: Stock;
  /** An apply was lost, and this is what it left. */
  readonly lost: boolean;
}

/** The state's stock, or what an apply left that began with it and never answered. */
export function currentStock(value: ObjectValue | null, path: string): Found {
  const stock = stockOf(value);
  const unsaved = read(path);
  if (unsaved === null) return { stock, lost: false };
  if (unsaved.serial === stock.serial + 1) return { stock: unsaved, lost: true };
  // the state has it, or goes on from somewhere else: the file is of no use any more
  rmSync(path, { force: true });
  return { stock, lost: false };
}

function read(path: string): Stock | null {
  let bytes: string;
  try {
    bytes = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
  return JSON.parse(bytes) as Stock;
}

/** Whole or not at all, and on the disk before the next step begins. */
export function keepUnsaved(path: string, stock: Stock): void {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.next`;
  const file = openSync(next, "w", 0o600);
  try {
    writeSync(file, JSON.stringify(stock));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}

export const forgetUnsaved = (path: string): void => rmSync(path, { force: true });
