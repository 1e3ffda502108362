// Runs parts of the tests: unit, acceptance, openstack, e2e (vitest) and python (pytest). Each leaves a report below HONEST_REPORTS,
// from which the CI script sums up.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const reports = resolve(root, process.env.HONEST_REPORTS ?? "coverage/reports");
mkdirSync(reports, { recursive: true });

const parts = process.argv.slice(2).filter((word) => !word.startsWith("-") && !word.includes("/"));
const rest = process.argv.slice(2).filter((word) => word.startsWith("-") || word.includes("/"));
const vitest = join(root, "node_modules/vitest/vitest.mjs");

// a run under another Node.js than the rest has a report of its own
const under = process.env.HONEST_NODE ? `-node${process.env.HONEST_NODE}` : "";

function command(part) {
  if (part === "python")
    return [join(root, "scripts/python.mjs"), "pytest", "-q", "-rs", "cloud-init/tests", `--junitxml=${join(reports, "pytest.xml")}`];
  return [vitest, "run", "--project", part, "--reporter=default", "--reporter=json", `--outputFile.json=${join(reports, `vitest-${part}${under}.json`)}`, ...rest];
}

let failed = false;
for (const part of parts) {
  const begun = Date.now();
  const { status, signal } = spawnSync(process.execPath, command(part), { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  console.log(`${part}: ${status === 0 ? "passed" : `failed (${status ?? signal})`} in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  if (status !== 0) failed = true;
}
process.exit(failed ? 1 : 0);
