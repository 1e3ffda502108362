// Runs a script under another Node.js: `node scripts/under-node.mjs 22 scripts/test.mjs unit`. What the script starts by
// the name `node` is that one too.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { nodeFolder, nodeReleases } from "./node-releases.mjs";

const [major, ...command] = process.argv.slice(2);
if (!(major in nodeReleases) || command.length === 0) {
  console.error(`usage: node scripts/under-node.mjs ${Object.keys(nodeReleases).join("|")} SCRIPT [ARGUMENT]...`);
  process.exit(2);
}
const folder = nodeFolder(Number(major));
const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH ?? ""}`, HONEST_NODE: major };
const done = spawnSync(join(folder, "node"), command, { env, stdio: "inherit" });
if (done.error) throw done.error;
process.exit(done.status ?? 1);
