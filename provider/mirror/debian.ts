// Debian root file systems made on this computer by mmdebstrap: the machine and the base of the images that need tools.
import { createHash } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "./cache.js";
import { runProgram } from "./program.js";

/** What the programs of kube-proxy and kube-router call. */
export const networkPackages = ["iptables", "nftables", "ipset", "iproute2", "conntrack", "kmod", "ca-certificates"] as const;

/** What a machine of a cloud has, as far as Kubernetes and cloud-init need it; haproxy for the balancer. */
export const machinePackages = [
  "systemd",
  "systemd-sysv",
  "udev",
  "dbus",
  "cloud-init",
  "locales",
  "iproute2",
  "iptables",
  "nftables",
  "ethtool",
  "conntrack",
  "socat",
  "kmod",
  "e2fsprogs",
  "ca-certificates",
  "procps",
  "curl",
  "iputils-ping",
  "mount",
  "util-linux",
  "netbase",
  "ebtables",
  "ipset",
  "openssl",
  "haproxy",
  "less",
] as const;

/** Path of a root file system's tar; made once per suite, list of packages and architecture of this computer. */
export async function debianRootfs(
  root: string,
  suite: "bookworm" | "trixie",
  packages: readonly string[],
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const id = createHash("sha256").update(JSON.stringify(packages)).digest("hex").slice(0, 12);
  const path = join(root, "debian", `${suite}-${id}.tar`);
  if (await exists(path)) return path;
  await mkdir(join(root, "debian"), { recursive: true });
  const begun = Date.now();
  const part = join(root, "debian", `${suite}-${id}.${process.pid}.part.tar`);
  const excluded = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*"];
  await runProgram(
    "mmdebstrap",
    [
      "--variant=minbase",
      `--include=${packages.join(",")}`,
      '--aptopt=Acquire::Languages "none"',
      ...excluded.map((path) => `--dpkgopt=path-exclude=${path}`),
      '--customize-hook=rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*',
      suite,
      part,
    ],
    { signal, env: { SOURCE_DATE_EPOCH: "0" } },
  );
  await rename(part, path);
  log(`made Debian ${suite} with ${packages.length} packages in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  return path;
}
