import { expect, it } from "vitest";
import { hostOf } from "../../../../../provider/cli/demo/host.js";

const debian = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n';
const ubuntu = "ID=ubuntu\nID_LIKE=debian\n";
const mint = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n';
const fedora = "ID=fedora\n";

it.each([
  [true, debian, 0, true, ""],
  [true, ubuntu, 0, true, ""],
  [true, mint, 0, true, ""],
  [false, debian, 0, false, "--no-install was given"],
  [true, debian, 1000, false, "this is not root"],
  [true, fedora, 0, false, "this is neither Debian nor Ubuntu"],
  [true, "", -1, false, "this is neither Debian nor Ubuntu"],
])("allowed %s, %j, uid %i: installs %s", (allowed, release, uid, installs, reason) => {
  expect(hostOf(allowed, release, uid)).toEqual({ installs, reason });
});
