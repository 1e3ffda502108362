// Vendors that cannot be started or spoken to, and our own provider as one that can.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configOf } from "../../../provider/shim/config.js";
import { launchVendor } from "../../../provider/shim/launch.js";
import { planObject } from "../../../provider/shim/object.js";
import { identityOf, stillRunning } from "../../../provider/shim/process-identity.js";
import type { Vendor } from "../../../provider/shim/vendor.js";
import { version } from "../../../provider/version.js";

const own = resolve(import.meta.dirname, `../../../dist/provider/terraform-provider-honest_v${version}`);
let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "honest-launch-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("honest-vendor-"));

function script(text: string): string {
  const path = join(dir, "terraform-provider-broken");
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}
const launch = (program: string, handshakeMs = 20_000): Promise<Vendor> =>
  launchVendor({ program, name: "vendor", log: () => undefined, patience: { handshakeMs, closeMs: 500 } });

describe("a vendor that does not come up", () => {
  it.each([
    ["prints something else", "#!/bin/sh\necho hello\nsleep 5\n", /its first line is no handshake: "hello"/],
    [
      "panics",
      '#!/bin/sh\necho "panic: no memory" >&2\necho "goroutine 1" >&2\nexit 2\n',
      /ended at once, with exit code 2\.\n\npanic: no memory\ngoroutine 1/,
    ],
    ["is killed", "#!/bin/sh\nkill -9 $$\n", /ended at once, by SIGKILL/],
    ["speaks protocol 4", '#!/bin/sh\necho "1|4|unix|/x|grpc|YQ"\nsleep 5\n', /it speaks plugin protocol 4/],
    [
      "listens nowhere",
      '#!/bin/sh\necho "1|5|unix|/nowhere/x|grpc|YQ"\nsleep 5\n',
      /it says that it listens, but: .*ENOENT|said that it listens, but: .*ENOENT/,
    ],
    ["is cut off in the middle of its download", "\x7fELF\x02\x01\x01", /no program for this machine|exit code|no handshake/],
  ])("%s", async (_what, text, problem) => {
    const before = folders();
    await expect(launch(script(text))).rejects.toThrow(problem);
    expect(folders().filter((name) => !before.includes(name))).toEqual([]);
  });

  it("hangs", async () => {
    await expect(launch(script("#!/bin/sh\nexec sleep 60\n"), 300)).rejects.toThrow(/it said nothing within 0 s of its start/);
  });

  it("may not be executed, or is not there", async () => {
    const path = script("#!/bin/sh\n");
    chmodSync(path, 0o644);
    await expect(launch(path)).rejects.toThrow(/may not be executed/);
    await expect(launch(join(dir, "nothing"))).rejects.toThrow(/is not there/);
  });
});

describe.skipIf(!existsSync(own))(
  `our own provider as a vendor of protocol 6${existsSync(own) ? "" : " (left out: npm run build)"}`,
  () => {
    it("plans, dies with a word, and leaves nothing behind", async () => {
      const before = folders();
      const vendor = await launch(own);
      expect(vendor.protocol).toBe(6);
      expect(await vendor.configure({})).toEqual([]);
      const type = "honest_local_network";
      const { config, diagnostics } = configOf(await vendor.schema(type), { name: "a", cluster: "b" });
      expect(diagnostics).toEqual([]);
      expect((await planObject(vendor, type, config, null)).plan).toMatchObject({ action: "create" });
      await expect(vendor.schema("honest_nothing")).rejects.toThrow(/has no resource of this name/);
      process.kill(vendor.process?.pid ?? -1, "SIGKILL");
      expect((await planObject(vendor, type, config, null)).diagnostics[0]?.summary).toBe("The vendor's provider gave no answer");
      await vendor.close();
      expect(vendor.process && stillRunning(vendor.process)).toBe(false);
      expect(folders().filter((name) => !before.includes(name))).toEqual([]);
    });

    it("sweeps what a killed run left: its folder and its vendor", async () => {
      const vendor = await launch(own);
      const lingering = vendor.process;
      // as if this process had been another one that is gone: the same pid, another start
      const left = join(tmpdir(), `honest-vendor-left${process.pid}`);
      mkdirSync(left);
      writeFileSync(join(left, "owner.json"), JSON.stringify({ owner: { ...identityOf(process.pid), started: "1" }, vendor: lingering }));
      const next = await launch(own);
      expect(existsSync(left)).toBe(false);
      await expect(vendor.validate("honest_local_network", {})).rejects.toThrow(/gave no answer/);
      expect(lingering && stillRunning(lingering)).toBe(false);
      await next.close();
      await vendor.close();
    });
  },
);
