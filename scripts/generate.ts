// npm run generate: writes every generated file. With --check nothing is written; the exit code says whether all are up
// to date.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const check = process.argv.slice(2).filter((word) => word === "--check");
const tsx = [process.execPath, "--import", "tsx"];
const generators = [
  [...tsx, "scripts/generate-spec.ts"],
  ["python3", "scripts/pack-cloud-init.py"],
  [...tsx, "scripts/generate-docs.ts"],
  [...tsx, "scripts/generate-firewall.ts"],
];

let stale = false;
for (const [program = "", ...args] of generators) {
  const done = spawnSync(program, [...args, ...check], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (done.status !== 0) {
    console.error(`${args.at(-1)}: ${check.length ? "not up to date; run npm run generate" : "failed"}`);
    stale = true;
  }
}
process.exit(stale ? 1 : 0);
