// Files that a machine finds at its first boot: the NoCloud seed, and what a machine on a container engine needs
// besides what its image brings.
import { forwarderFiles } from "./machine-resolver.js";
import type { FileEntry } from "./tar.js";

/** A disk as the machine's own record has it; read back by us and by the script below. */
export interface AttachedDisk {
  readonly id: string;
  readonly major: number;
  readonly minor: number;
}

export const disksFile = "/etc/honest-local/disks.json";
/** Written when a machine is first read from a state: an interrupted create has none. */
export const claimFile = "/etc/honest-local/claimed";
const guestFile = "/etc/honest-local/guest.json";
export const disksScriptPath = "/usr/lib/honest-local/disks";

// A container's /dev is new at each boot, the devices behind it are not. Runs before cloud-init, and again whenever a
// disk is attached or detached. A number that meanwhile belongs to another file gets no node: a machine must never
// format a disk that is not its own.
const disksScript = `#!/usr/bin/python3
import json, os, stat, subprocess, sys

def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return None

def say(text):
    print(text, file=sys.stderr)
    try:
        with open("/dev/console", "w") as f:
            f.write("honest: disks: error: %s\\n" % text)
    except OSError:
        pass

def backing(disk):
    try:
        with open("/sys/dev/block/%d:%d/loop/backing_file" % (disk["major"], disk["minor"])) as f:
            return f.read().strip()
    except OSError:
        return ""

def nodes(disks):
    os.makedirs("/dev/disk/by-id", exist_ok=True)
    wanted = {"honest-" + d["id"]: d for d in disks}
    for name in os.listdir("/dev/disk/by-id"):
        if name.startswith("honest-disk-") and name not in wanted:
            os.unlink("/dev/disk/by-id/" + name)
            if os.path.exists("/dev/" + name):
                os.unlink("/dev/" + name)
    for name, disk in wanted.items():
        if not backing(disk).endswith("%s.img" % disk["id"]):
            say("%s has no device %d:%d" % (disk["id"], disk["major"], disk["minor"]))
            continue
        node, link = "/dev/" + name, "/dev/disk/by-id/" + name
        device = os.makedev(disk["major"], disk["minor"])
        if os.path.exists(node) and os.stat(node).st_rdev != device:
            os.unlink(node)
        if not os.path.exists(node):
            os.mknod(node, 0o660 | stat.S_IFBLK, device)
        if not os.path.islink(link):
            os.symlink("../../" + name, link)

def silent_resolver(address):
    # Docker's own resolver lives on loopback, where a pod's DNS server would meet itself. Docker fills its file while the
    # machine starts already, so what stands there at this moment says nothing.
    wanted = "nameserver %s\\n" % address
    with open("/etc/resolv.conf") as f:
        if f.read() == wanted:
            return
    subprocess.run(["umount", "/etc/resolv.conf"], stderr=subprocess.DEVNULL, check=False)
    with open("/etc/resolv.conf", "w") as f:
        f.write(wanted)

def no_way_out():
    # What is on no network of ours is looked for next door, where nobody has it. The route itself has to be there: the
    # service addresses are only turned into real ones after it was found.
    subprocess.run(["ip", "route", "replace", "default", "dev", "eth0"], check=False)

guest = load("${guestFile}") or {}
nodes(load("${disksFile}") or [])
if guest.get("internal"):
    silent_resolver(guest["gateway"])
    no_way_out()
`;

const disksUnit = `[Unit]
Description=Device nodes of the disks that are attached to this machine
DefaultDependencies=no
After=systemd-tmpfiles-setup-dev.service
Before=local-fs-pre.target cloud-init-local.service sysinit.target

[Service]
Type=oneshot
ExecStart=${disksScriptPath}
RemainAfterExit=yes

[Install]
WantedBy=sysinit.target
`;

// With wide rights udev would start and handle the host's devices.
const masked = ["systemd-udevd.service", "systemd-udevd-control.socket", "systemd-udevd-kernel.socket", "systemd-udev-trigger.service"];

export const disksJson = (disks: readonly AttachedDisk[]): FileEntry => ({ path: disksFile, content: `${JSON.stringify(disks)}\n` });

export interface Seed {
  readonly id: string;
  readonly hostname: string;
  readonly userData: Uint8Array;
  readonly disks: readonly AttachedDisk[];
  /** Address of the network's bridge. */
  readonly gateway: string;
  /** No way out: the gateway, where nobody answers, is the resolver in place of Docker's. Else Docker's is passed on to pods. */
  readonly internal: boolean;
}

export function machineFiles(seed: Seed): readonly FileEntry[] {
  const nocloud = "/var/lib/cloud/seed/nocloud";
  return [
    { path: "/var/lib/cloud/seed", folder: true },
    { path: nocloud, folder: true, mode: 0o700 },
    { path: `${nocloud}/user-data`, content: seed.userData, mode: 0o600 },
    // JSON is YAML.
    { path: `${nocloud}/meta-data`, content: `${JSON.stringify({ "instance-id": seed.id, "local-hostname": seed.hostname })}\n` },
    { path: "/etc/honest-local", folder: true },
    { path: guestFile, content: `${JSON.stringify({ gateway: seed.gateway, internal: seed.internal })}\n` },
    disksJson(seed.disks),
    { path: "/usr/lib/honest-local", folder: true },
    { path: disksScriptPath, content: disksScript, mode: 0o755 },
    { path: "/etc/systemd/system/honest-local-disks.service", content: disksUnit },
    { path: "/etc/systemd/system/sysinit.target.wants", folder: true },
    {
      path: "/etc/systemd/system/sysinit.target.wants/honest-local-disks.service",
      link: "/etc/systemd/system/honest-local-disks.service",
    },
    ...(seed.internal ? [] : forwarderFiles(guestFile)),
    ...masked.map((unit) => ({ path: `/etc/systemd/system/${unit}`, link: "/dev/null" })),
  ];
}
