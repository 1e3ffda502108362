// The test provider as a user gets a provider: launcher and two files, built by the same recipe as the real one.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "tsup";
import { providerServed, providerStart } from "../../tsup.config.js";

const root = resolve(import.meta.dirname, "../..");
const arch = { x64: "amd64", arm64: "arm64" }[process.arch as string] ?? process.arch;

export interface Packed {
  /** The launcher. */
  readonly program: string;
  /** `terraform.d` below the folder: an implied mirror of "honest-paas/packed". */
  install(folder: string): void;
  remove(): void;
}

export async function packProvider(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), "hp-packed-"));
  const place = (at: string): string => {
    const program = join(at, "terraform-provider-packed_v0.0.1");
    mkdirSync(join(at, "lib"), { recursive: true });
    copyFileSync(join(root, "provider/launcher.sh"), program);
    chmodSync(program, 0o755);
    return program;
  };
  const program = place(folder);
  const lib = join(folder, "lib");
  await build({ ...providerStart, entry: { provider: join(root, "test/support/packed/main.ts") }, outDir: lib, config: false });
  await build({ ...providerServed, entry: { served: join(root, "test/support/packed/served.ts") }, outDir: lib, config: false });
  return {
    program,
    install(target) {
      const at = join(target, "terraform.d/plugins/registry.terraform.io/honest-paas/packed/0.0.1", `${process.platform}_${arch}`);
      place(at);
      for (const name of ["provider.cjs", "served.cjs"]) copyFileSync(join(lib, name), join(at, "lib", name));
      // the user's project around it may say anything
      writeFileSync(join(target, "package.json"), '{"type":"module"}\n');
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
