import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { machineFiles } from "../../../../provider/engine/machine-files.js";
import { openWorld } from "../../../support/open-world.js";

// Python itself says whether it understands a script
openWorld("processes");

const seed = {
  id: "i-1",
  hostname: "demo-cp-a",
  userData: Buffer.from([0x1f, 0x8b, 0x00]),
  disks: [{ id: "disk-aa", major: 7, minor: 3 }],
  gateway: "10.0.0.1",
  internal: true,
};
const files = machineFiles(seed);
const open = machineFiles({ ...seed, internal: false });
const at = (path: string) => files.find((f) => f.path === path);

it("seeds cloud-init, the user data byte for byte and for root only", () => {
  expect(at("/var/lib/cloud/seed/nocloud/user-data")).toMatchObject({ content: Buffer.from([0x1f, 0x8b, 0x00]), mode: 0o600 });
  expect(JSON.parse(String(at("/var/lib/cloud/seed/nocloud/meta-data")?.content))).toEqual({
    "instance-id": "i-1",
    "local-hostname": "demo-cp-a",
  });
});

it("records the disks and brings the unit that makes their nodes before cloud-init", () => {
  expect(JSON.parse(String(at("/etc/honest-local/disks.json")?.content))).toEqual([{ id: "disk-aa", major: 7, minor: 3 }]);
  const unit = String(at("/etc/systemd/system/honest-local-disks.service")?.content);
  expect(unit).toMatch(/^Before=.*cloud-init-local\.service/m);
  expect(at("/etc/systemd/system/sysinit.target.wants/honest-local-disks.service")?.link).toBe(
    "/etc/systemd/system/honest-local-disks.service",
  );
});

it("keeps udev away from the host's devices", () => {
  expect(at("/etc/systemd/system/systemd-udevd.service")?.link).toBe("/dev/null");
});

it("answers pods' questions for names only where there is a way out", () => {
  const unit = "/etc/systemd/system/multi-user.target.wants/honest-local-resolver.service";
  expect(at(unit)).toBeUndefined();
  expect(open.find((f) => f.path === unit)?.link).toBe("/etc/systemd/system/honest-local-resolver.service");
  expect(JSON.parse(String(at("/etc/honest-local/guest.json")?.content))).toEqual({ gateway: "10.0.0.1", internal: true });
});

it.each(["disks", "resolver"])("has a script %s that Python understands", (name) => {
  const script = String(open.find((f) => f.path === `/usr/lib/honest-local/${name}`)?.content);
  execFileSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 9))"], { input: script });
});
