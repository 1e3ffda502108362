// Makes a fresh clone usable: dependencies, then a build of these sources. Does nothing when both are there. Plain
// JavaScript, because nothing is installed when it starts.
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { sourcesDigest } from "./sources-digest.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

function run(command, args) {
  const done = spawnSync(command, args, { cwd: root, stdio: ["ignore", process.stderr.fd, process.stderr.fd] });
  if (done.status !== 0) {
    console.error(`${command} ${args.join(" ")} ended with ${done.status ?? done.signal}`);
    process.exit(1);
  }
}

function timed(what, work) {
  const begun = Date.now();
  console.error(`${what} ...`);
  work();
  console.error(`${what}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node.js 20.19 or newer is needed; this is ${process.versions.node}`);
  process.exit(1);
}

/** What is installed is what the lock file says; optional packages of other platforms are never there. */
const installed = () => {
  const seal = join(root, "node_modules/.package-lock.json");
  if (!existsSync(seal)) return false;
  const there = JSON.parse(readFileSync(seal, "utf8")).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages);
  return wanted.every(([path, { version, optional }]) => path === "" || optional || there[path]?.version === version);
};
const built = () => {
  const stamp = join(root, "dist/.sources");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sourcesDigest(root);
};

/** Two commands started at once in one clone: the second waits for the first. */
function locked(work) {
  const lock = join(root, ".honest/setup.lock");
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      const file = openSync(lock, "wx");
      writeFileSync(file, String(process.pid));
      closeSync(file);
      break;
    } catch (cause) {
      if (cause.code !== "EEXIST") throw cause;
    }
    const holder = Number(existsSync(lock) ? readFileSync(lock, "utf8") : "");
    let alive = false;
    try {
      alive = holder > 0 && process.kill(holder, 0);
    } catch (cause) {
      alive = cause.code === "EPERM";
    }
    if (!alive) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

if (!installed() || !built())
  locked(() => {
    if (!installed()) timed("installing dependencies", () => run("npm", ["ci", "--no-audit", "--no-fund"]));
    if (!built()) timed("building", () => run(process.execPath, ["--import", "tsx", "scripts/build.ts"]));
  });
