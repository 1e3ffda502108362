// Loop devices on the engine's host. A disk's image file is named <cluster>.<disk id>.img: the kernel shows that name as
// the device's backing file even after the helper's mounts are gone, so a device is found by it and by nothing else.
import type { Core } from "./core.js";
import { mustHelp } from "./helper-container.js";

export interface LoopRequest {
  readonly id: string;
  readonly volume: string;
  readonly sizeGib: number;
}
export interface LoopDevice {
  readonly id: string;
  readonly major: number;
  readonly minor: number;
}

export const imageFile = (cluster: string, id: string): string => `${cluster}.${id}.img`;

const find = `
find_loop() { # file name -> loop device name, or nothing
  for b in /sys/block/loop*/loop/backing_file; do
    [ -e "$b" ] || continue
    case "$(cat "$b" 2>/dev/null || true)" in
      */"$1"|*/"$1 (deleted)") basename "$(dirname "$(dirname "$b")")"; return ;;
    esac
  done
}
wait_gone() { # device name: detached for good, not only marked for it
  n=0
  while [ -e "/sys/block/$1/loop/backing_file" ]; do
    n=$((n + 1)); [ $n -lt 200 ] || { echo "/dev/$1 is still in use on the engine's host" >&2; exit 4; }
    sleep 0.1
  done
}
`;

const attachScript = `set -eu
${find}
while [ $# -gt 0 ]; do
  id=$1; folder=$2; file=$3; bytes=$4; shift 4
  # Beside and renamed: a helper that is killed in between must not leave a disk of no size.
  [ -e "$folder/$file" ] || {
    said=$(truncate -s "$bytes" "$folder/$file.part" 2>&1) && mv "$folder/$file.part" "$folder/$file" || {
      rm -f "$folder/$file.part"
      set -- $(df -PB1 "$folder" | tail -n 1)
      echo "the image file of $id cannot be made: \${said##*: }. Its volume has $4 bytes free; $bytes bytes are wanted as the disk is written" >&2
      exit 5
    }
  }
  dev=$(find_loop "$file")
  # A device that its last user will take down must not be handed out again.
  if [ -n "$dev" ] && [ "$(cat /sys/block/$dev/loop/autoclear)" = 1 ]; then wait_gone "$dev"; dev=; fi
  tries=0
  while [ -z "$dev" ]; do
    next=$(losetup --find)
    [ -b "$next" ] || mknod "$next" b 7 "\${next#/dev/loop}"
    # Another helper may take it between the two commands. Its words go into no file: the host's disk may be full.
    said=$(losetup "$next" "$folder/$file" 2>&1) || true
    dev=$(find_loop "$file")
    tries=$((tries + 1))
    [ -n "$dev" ] || [ $tries -lt 20 ] || { echo "$said" >&2; exit 3; }
  done
  echo "$id $(tr : ' ' < /sys/block/$dev/dev)"
done
`;

const detachScript = `set -eu
${find}
for file in "$@"; do
  dev=$(find_loop "$file")
  [ -n "$dev" ] || continue
  losetup -d "/dev/$dev" 2>/dev/null || true
  wait_gone "$dev"
done
`;

const listScript = `set -eu
for b in /sys/block/loop*/loop/backing_file; do
  [ -e "$b" ] || continue
  echo "$(basename "$(dirname "$(dirname "$b")")") $(cat "$b" 2>/dev/null || true)"
done
`;

/** Makes each disk's image file if it is the first time, and sets up its device. Idempotent. */
export async function attachLoops(
  core: Core,
  cluster: string,
  image: string,
  disks: readonly LoopRequest[],
): Promise<readonly LoopDevice[]> {
  if (disks.length === 0) return [];
  const said = await mustHelp(core, "Cannot set up a disk's loop device", {
    cluster,
    image,
    script: attachScript,
    args: disks.flatMap((d) => [d.id, `/disks/${d.id}`, imageFile(cluster, d.id), String(d.sizeGib * 2 ** 30)]),
    volumes: Object.fromEntries(disks.map((d) => [d.volume, `/disks/${d.id}`])),
  });
  return said
    .trim()
    .split("\n")
    .map((line) => {
      const [id = "", major, minor] = line.split(/\s+/);
      return { id, major: Number(major), minor: Number(minor) };
    });
}

/** Takes the devices down and waits until the kernel has let go of the files. Those without a device are passed over. */
export async function detachLoops(core: Core, cluster: string, image: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await mustHelp(core, "Cannot detach a disk's loop device", {
    cluster,
    image,
    script: detachScript,
    args: ids.map((id) => imageFile(cluster, id)),
  });
}

/** Disk ids of a cluster that have a device on the engine's host. */
export async function listLoops(
  core: Core,
  cluster: string,
  image: string,
): Promise<readonly { readonly id: string; readonly device: string }[]> {
  return parseLoops(await mustHelp(core, "Cannot list loop devices", { cluster, image, script: listScript }), cluster);
}

export function parseLoops(listing: string, cluster: string): readonly { readonly id: string; readonly device: string }[] {
  return listing.split("\n").flatMap((line) => {
    const [, device = "", file = ""] = /^(\S+) .*\/([^/]+?)(?: \(deleted\))?$/.exec(line) ?? [];
    const id = file.startsWith(`${cluster}.`) && file.endsWith(".img") ? file.slice(cluster.length + 1, -4) : "";
    return id ? [{ id, device }] : [];
  });
}
