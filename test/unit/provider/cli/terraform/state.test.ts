import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { coreOf, pullState } from "../../../../../provider/cli/terraform/state.js";
import { openWorld } from "../../../../support/open-world.js";

openWorld("processes");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "honest-state-"));
  mkdirSync(join(folder, "bin"));
  // each tells its version and pulls a state that names it
  for (const name of ["terraform", "tofu"]) {
    const state = JSON.stringify({ resources: [{ mode: "managed", type: name, name: "x", instances: [] }] });
    const path = join(folder, "bin", name);
    writeFileSync(path, `#!/bin/sh\nif [ "$1" = version ]; then echo '{"terraform_version":"1.12.0"}'; else echo '${state}'; fi\n`);
    chmodSync(path, 0o755);
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lock = (host: string): void =>
  writeFileSync(join(folder, ".terraform.lock.hcl"), `provider "${host}/honest-paas/honest" {\n  version = "0.1.0"\n}\n`);
const puller = async (env: Record<string, string> = {}): Promise<string | undefined> =>
  (await pullState(folder, { PATH: `${join(folder, "bin")}:/bin:/usr/bin`, ...env })).resources[0]?.type;

it("pulls a state by the core that ran init there, where both are installed", async () => {
  expect(await puller()).toBe("terraform");
  lock("registry.opentofu.org");
  expect(coreOf(folder)).toBe("tofu");
  expect(await puller()).toBe("tofu");
  lock("registry.terraform.io");
  expect(coreOf(folder)).toBe("terraform");
  expect(await puller()).toBe("terraform");
});

it("pulls by the other where only that is installed, and by the one that is named before all", async () => {
  lock("registry.opentofu.org");
  expect(await puller({ HONEST_PAAS_TERRAFORM: join(folder, "bin", "terraform") })).toBe("terraform");
  rmSync(join(folder, "bin", "tofu"));
  expect(await puller()).toBe("terraform");
});
