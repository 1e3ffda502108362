// npm run check: types, lint and format, generated files, import rules and budgets. All of them run, so that one look
// shows everything that is wrong.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const bin = (name: string): string => join(root, "node_modules/.bin", name);
const node = process.execPath;
const python = [node, "scripts/python.mjs"] as const;

const checks: readonly (readonly [string, readonly string[]])[] = [
  ["types", [bin("tsc"), "-p", "."]],
  ["lint and format", [bin("biome"), "check", "--error-on-warnings", "."]],
  ["python lint", [...python, "ruff", "check", "cloud-init", "scripts", "test/openstack"]],
  ["python format", [...python, "ruff", "format", "--check", "cloud-init", "scripts", "test/openstack"]],
  ["generated files", [node, "--import", "tsx", "scripts/generate.ts", "--check"]],
  ["import rules and budgets", [node, "node_modules/vitest/vitest.mjs", "run", "--project", "unit", "test/unit/repository"]],
];

const failed: string[] = [];
for (const [name, [program = "", ...args]] of checks) {
  if (!existsSync(program)) throw new Error(`${program} is not installed`);
  const begun = Date.now();
  const done = spawnSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  console.log(`${done.status === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (done.status === 0) continue;
  failed.push(name);
  console.log(`${done.stdout}${done.stderr}`.trim());
}
if (failed.length) {
  console.log(`check failed: ${failed.join(", ")}`);
  process.exit(1);
}
