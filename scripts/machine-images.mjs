// Builds the machine images that the tests use, with the tool itself. Done ones are found again.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const versions = ["1.36.3", "1.37.2"];
for (const version of versions) {
  const done = spawnSync(process.execPath, [join(root, "dist/cli/honest-paas.js"), "image", "build", "--version", version], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
