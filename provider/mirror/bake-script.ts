// What is done inside a container when a machine image is made, and the files that only a local machine has.

export const cloudConfig = "datasource_list: [NoCloud, None]\nnetwork: {config: disabled}\n";

/** For whoever looks into a machine by hand: crictl guesses, slowly, without it. */
export const crictlConfig = "runtime-endpoint: unix:///run/containerd/containerd.sock\n";

/** Device nodes are gone after each boot of a container; the loop devices behind them are not. Runs before cloud-init. */
export const disksScript = `#!/usr/bin/python3
import json, os, stat

def main():
    try:
        with open("/etc/honest-local/disks.json", encoding="utf-8") as f:
            disks = json.load(f)
    except FileNotFoundError:
        return
    os.makedirs("/dev/disk/by-id", exist_ok=True)
    for disk in disks:
        node = "/dev/honest-%s" % disk["id"]
        device = os.makedev(disk["major"], disk["minor"])
        # the loop device may be another one since the last boot
        if os.path.lexists(node) and os.stat(node).st_rdev != device:
            os.unlink(node)
        if not os.path.lexists(node):
            os.mknod(node, 0o660 | stat.S_IFBLK, device)
        link = "/dev/disk/by-id/honest-%s" % disk["id"]
        if not os.path.lexists(link):
            os.symlink(node, link)

main()
`;

export const disksUnit = `[Unit]
Description=Device nodes of the disks that are attached to this machine
DefaultDependencies=no
After=systemd-udevd.service systemd-tmpfiles-setup-dev.service
Before=local-fs-pre.target cloud-init-local.service sysinit.target

[Service]
Type=oneshot
ExecStart=/usr/lib/honest-local/disks
RemainAfterExit=yes

[Install]
WantedBy=sysinit.target
`;

/** Units that wait for, or manage, what a container has not. */
export const maskedUnits = [
  ...["systemd-networkd.service", "systemd-networkd-wait-online.service", "systemd-resolved.service", "systemd-logind.service"],
  ...["getty.target", "console-getty.service", "apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service"],
  ...["fstrim.timer", "dpkg-db-backup.timer", "haproxy.service"],
] as const;

/**
 * containerd runs on a volume, because its snapshots cannot be made on the engine's own overlay. The unpacked images then
 * stay in the image, read-only, with links to them in containerd's folder: an engine copies that folder into each new
 * machine's volume, and links are copied in no time where 700 MB take seconds.
 */
export const bakeScript = `#!/bin/sh
set -eu
mkdir -p /etc/systemd/system/sysinit.target.wants
ln -sf /etc/systemd/system/honest-local-disks.service /etc/systemd/system/sysinit.target.wants/honest-local-disks.service
for unit in ${maskedUnits.join(" ")}; do
  ln -sf /dev/null "/etc/systemd/system/$unit"
done
rm -f /etc/machine-id /var/lib/dbus/machine-id
: > /etc/machine-id
cat > /bake-input/config.toml <<'X'
version = 3
root = "/bake"
state = "/run/bake"
X
/usr/local/bin/containerd --config /bake-input/config.toml > /bake-input/containerd.log 2>&1 &
pid=$!
n=0
until ctr version > /dev/null 2>&1; do
  n=$((n + 1))
  [ $n -lt 150 ] || { tail -n 30 /bake-input/containerd.log; exit 1; }
  sleep 0.2
done
ctr -n k8s.io images import --local --platform "linux/$(cat /bake-input/arch)" --discard-unpacked-layers /bake-input/images.tar > /bake-input/import.log ||
  { cat /bake-input/import.log; tail -n 30 /bake-input/containerd.log; exit 1; }
ctr -n k8s.io content prune references > /dev/null
kill $pid
wait $pid || true
snapshots=io.containerd.snapshotter.v1.overlayfs/snapshots
store=/usr/lib/honest-local/images
mkdir -p "$store"
for layer in /bake/$snapshots/*; do
  name=$(basename "$layer")
  cp -a "$layer" "$store/$name"
  rm -rf "$layer"
  ln -s "$store/$name" "$layer"
done
rm -rf /var/lib/containerd /bake/tmpmounts
mkdir -p /var/lib/containerd
cp -a /bake/. /var/lib/containerd/
chmod 0711 /var/lib/containerd
rm -rf /bake-input
`;
