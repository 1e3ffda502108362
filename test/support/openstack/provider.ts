// The vendor's own provider for OpenStack, in a local mirror as terraform init reads it. Built from its Go module: its
// releases are not where tests can fetch them.
import { link, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hostArchitecture } from "../../../provider/mirror/build.js";
import { exists } from "../../../provider/mirror/cache.js";
import { builtProgram } from "../built-module.js";

export const providerSource = "terraform-provider-openstack/openstack";
export const providerVersion = "3.4.0";

/** Tofu asks another host for the same name. */
const hosts = ["registry.terraform.io", "registry.opentofu.org"];

const build = {
  module: "github.com/terraform-provider-openstack/terraform-provider-openstack/v3",
  version: `v${providerVersion}`,
  packages: [{ path: "", name: "terraform-provider-openstack" }],
};

export interface VendorProvider {
  /** Why it is not there; null when it is. In CI it must be there. */
  readonly missing: string | null;
  /** Folder for `filesystem_mirror` of a CLI configuration. */
  readonly mirror: string;
  readonly program: string;
}

export async function openStackProvider(log: (line: string) => void = () => undefined): Promise<VendorProvider> {
  const { missing, path } = await builtProgram(build, log);
  if (missing !== null) return { missing, mirror: "", program: "" };
  const mirror = join(dirname(path), "mirror");
  for (const host of hosts) {
    const folder = join(mirror, host, providerSource, providerVersion, `linux_${hostArchitecture()}`);
    const target = join(folder, `terraform-provider-openstack_v${providerVersion}`);
    if (await exists(target)) continue;
    await mkdir(folder, { recursive: true });
    const part = join(mirror, `${process.pid}.part`);
    await rm(part, { force: true });
    await link(path, part);
    await rename(part, target);
  }
  return { missing: null, mirror, program: path };
}

/** A CLI configuration with which init takes it from there; and everything else from `others`, when there are such folders. */
export function mirrorConfig(mirror: string, ...others: readonly string[]): string {
  const include = hosts.map((host) => JSON.stringify(`${host}/${providerSource}`)).join(", ");
  const ours = `  filesystem_mirror {\n    path    = ${JSON.stringify(mirror)}\n    include = [${include}]\n  }\n`;
  const rest = others.map((path) => `  filesystem_mirror {\n    path    = ${JSON.stringify(path)}\n    exclude = [${include}]\n  }\n`);
  return `provider_installation {\n${ours}${rest.join("")}}\n`;
}
