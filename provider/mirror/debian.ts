// Debian root file systems made on this computer by mmdebstrap: the machine and the base of the images that need tools.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { appear, hashOf, isSealed, seal } from "./cache.js";
import { runProgram } from "./program.js";

const suite = "bookworm";
const excluded = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*"] as const;

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
  packages: readonly string[],
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const path = join(root, "debian", `${suite}-${hashOf([packages, excluded, process.arch])}.tar`);
  if (await isSealed(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  const begun = Date.now();
  log(`making Debian ${suite} with ${packages.length} packages`);
  const options = [
    "--variant=minbase",
    "--format=tar",
    `--include=${packages.join(",")}`,
    '--aptopt=Acquire::Languages "none"',
    ...excluded.map((path) => `--dpkgopt=path-exclude=${path}`),
    '--customize-hook=rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/* "$1"/var/cache/debconf/*-old "$1"/var/lib/dpkg/*-old',
  ];
  await appear(path, async (beside) => {
    await runProgram("mmdebstrap", [...options, suite, beside], { signal, env: { SOURCE_DATE_EPOCH: "0" } });
  });
  await seal(path);
  log(`made Debian ${suite} with ${packages.length} packages in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  return path;
}

/** The same root file system made by the engine, where mmdebstrap is missing and Debian's image can be pulled. */
export function debianDockerfile(packages: readonly string[]): string {
  const keep = excluded.map((path) => `path-exclude=${path}`).join("\\n");
  return [
    `FROM debian:${suite}-slim`,
    `RUN printf '${keep}\\n' > /etc/dpkg/dpkg.cfg.d/90-small \\`,
    ` && apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${packages.join(" ")} \\`,
    " && rm -rf /var/lib/apt/lists/* /var/cache/apt/*",
    'CMD ["/lib/systemd/systemd"]',
    "",
  ].join("\n");
}
