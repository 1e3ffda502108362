// The engine's own implementation of proposed states as a process: built once per version of its source, where Go is there.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { question, type VendorCase } from "./vendor-cases.js";

const source = resolve(import.meta.dirname, "../oracle/proposed-new");

export interface OracleAnswer {
  /** Base64 of msgpack. */
  readonly proposed?: string;
  /** Of the prior state. */
  readonly normalized?: string;
  readonly error?: string;
}

export const hasGo = (): boolean => spawnSync("go", ["version"]).status === 0;

export const questionDigest = (it: VendorCase): string => createHash("sha256").update(question(it)).digest("hex").slice(0, 16);

/** Path of the built oracle. The first build takes minutes, and asks the module proxy. */
export function buildOracle(): string {
  const digest = createHash("sha256");
  for (const name of ["go.mod", "go.sum", "main.go"]) digest.update(readFileSync(join(source, name)));
  const cache = process.env.HONEST_PAAS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "honest-paas");
  const path = join(cache, "test-oracle", `proposed-new-${digest.digest("hex").slice(0, 16)}`);
  if (existsSync(path)) return path;
  mkdirSync(join(cache, "test-oracle"), { recursive: true });
  const next = `${path}.${process.pid}`;
  execFileSync("go", ["build", "-o", next, "."], { cwd: source, stdio: "pipe" });
  renameSync(next, path);
  return path;
}

export function askOracle(program: string, cases: readonly VendorCase[]): readonly OracleAnswer[] {
  const input = cases.map((it) => `${question(it)}\n`).join("");
  const lines = execFileSync(program, { input, maxBuffer: 1 << 30 })
    .toString()
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as OracleAnswer);
}
