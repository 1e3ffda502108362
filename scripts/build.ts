// npm run build: bundles, then what bundling does not do: the cdktn twin of the constructs, the provider's launcher, a
// stamp that says which sources this is.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "tsup";
import packageJson from "../package.json" with { type: "json" };
import { all, dist as next } from "../tsup.config.js";
import { sourcesDigest } from "./sources-digest.mjs";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, next);

/** cdktn is cdktf under another name: same API, so the same bytes with the import renamed. */
function twin(): void {
  const target = join(dist, "cdktn");
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(dist)) {
    if (!/\.(js|cjs|d\.ts|d\.cts)$/.test(name)) continue;
    const text = readFileSync(join(dist, name), "utf8");
    writeFileSync(join(target, name), text.replace(/(["'])cdktf\1/g, "$1cdktn$1"));
  }
}

function launcher(): void {
  const folder = join(dist, "provider");
  const file = join(folder, `terraform-provider-honest_v${packageJson.version}`);
  cpSync(join(root, "provider/launcher.sh"), file);
  chmodSync(file, 0o755);
  // whatever package.json stands above the place where Terraform puts us: our file is CommonJS
  writeFileSync(join(folder, "lib/package.json"), '{"type":"commonjs"}\n');
}

const digest = sourcesDigest(root);
rmSync(dist, { recursive: true, force: true });
for (const options of all) await build({ ...options, config: false });
twin();
launcher();
chmodSync(join(dist, "cli/honest-paas.js"), 0o755);
writeFileSync(join(dist, ".sources"), digest);
const old = join(root, "dist.old");
rmSync(old, { recursive: true, force: true });
if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), old);
renameSync(dist, join(root, "dist"));
rmSync(old, { recursive: true, force: true });
process.exit(0);
