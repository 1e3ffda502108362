// Runs a Python module (pytest, ruff) of a virtual environment in the cache, made when it is missing.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const cache = process.env.HONEST_PAAS_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "honest-paas");
const packages = ["pytest==8.4.2", "ruff==0.14.8", "PyYAML==6.0.3"];
const venv = join(cache, "python", packages.join("_"));
const python = join(venv, "bin/python");

function run(command, args, stdio) {
  const done = spawnSync(command, args, { cwd: root, stdio });
  if (done.error) throw done.error;
  return done.status ?? 1;
}

if (!existsSync(join(venv, ".ready"))) {
  console.error(`making a Python environment with ${packages.join(", ")}`);
  rmSync(venv, { recursive: true, force: true });
  mkdirSync(dirname(venv), { recursive: true });
  const quiet = ["ignore", process.stderr.fd, process.stderr.fd];
  // Debian ships venv apart from python3; virtualenv is the way round it
  if (run("python3", ["-m", "venv", venv], quiet) !== 0 && run("python3", ["-m", "virtualenv", venv], quiet) !== 0) {
    console.error("python3 cannot make a virtual environment: install python3-venv");
    process.exit(1);
  }
  if (run(python, ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...packages], quiet) !== 0) process.exit(1);
  writeFileSync(join(venv, ".ready"), "");
}
process.exit(run(python, ["-m", ...process.argv.slice(2)], "inherit"));
