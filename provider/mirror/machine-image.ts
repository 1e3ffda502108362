// The machine image of the local IaaS: Debian with cloud-init, the binaries of one Kubernetes version, and the images of
// that version already in containerd's store, as a cloud's prebuilt images have them. Importing images is the slowest
// step of a cold start (7-19 s a machine), so it is done once, here.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { artefactsOf } from "./artefact.js";
import { buildMirror, hostArchitecture, type Progress, type Source } from "./build.js";
import { cacheRoot, exists, withLock } from "./cache.js";
import { debianRootfs, machinePackages } from "./debian.js";
import { buildGoModule } from "./go-module.js";
import { type FileEntry, imageArchive, tarOf } from "./oci.js";
import { type Components, componentsOf, supportedVersions } from "./versions.js";

export interface BakeRequest {
  readonly from: string;
  readonly tag: string;
  /** Files put into the container before it starts, as a tar relative to "/". */
  readonly files: () => Readable;
  readonly command: readonly string[];
  /** A folder that is a volume while baking and no part of the image. */
  readonly volume: string;
  readonly changes: readonly string[];
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What the engine has to offer; provider/engine implements it. */
export interface ImageEngine {
  imageExists(tag: string): Promise<boolean>;
  importImage(tar: Readable, tag: string, changes: readonly string[]): Promise<void>;
  /** Runs a container to its end and commits it as `tag`. A failed command's output is in the error. */
  bakeImage(request: BakeRequest): Promise<void>;
}

export const machineImageTag = (version: string): string => `honest-paas/machine:${version}`;
/** The version in a tag of ours, or undefined for any other image. */
export const versionOfTag = (tag: string): string | undefined => /^honest-paas\/machine:(\d+\.\d+\.\d+)$/.exec(tag)?.[1];

const cloudConfig = "datasource_list: [NoCloud, None]\nnetwork: {config: disabled}\n";

// Device nodes are gone after each boot of a container; the loop devices behind them are not. Runs before cloud-init.
const disksScript = `#!/usr/bin/python3
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
        if not os.path.exists(node):
            os.mknod(node, 0o660 | stat.S_IFBLK, os.makedev(disk["major"], disk["minor"]))
        link = "/dev/disk/by-id/honest-%s" % disk["id"]
        if not os.path.islink(link):
            os.symlink(node, link)

main()
`;

const disksUnit = `[Unit]
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

// containerd runs on the volume, because its snapshots cannot be made on the engine's own overlay; what it made is then
// copied to where a machine's new volume is filled from.
const bakeScript = `#!/bin/sh
set -eu
mkdir -p /etc/systemd/system/sysinit.target.wants
ln -sf /etc/systemd/system/honest-local-disks.service /etc/systemd/system/sysinit.target.wants/honest-local-disks.service
for unit in systemd-networkd.service systemd-networkd-wait-online.service systemd-resolved.service getty.target console-getty.service \\
  systemd-logind.service apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer dpkg-db-backup.timer haproxy.service; do
  ln -sf /dev/null /etc/systemd/system/$unit
done
rm -f /etc/machine-id /var/lib/dbus/machine-id; : > /etc/machine-id
cat > /bake-input/config.toml <<'X'
version = 3
root = "/bake"
state = "/run/bake"
[plugins.'io.containerd.cri.v1.images']
  discard_unpacked_layers = true
X
/usr/local/bin/containerd --config /bake-input/config.toml > /bake-input/containerd.log 2>&1 &
pid=$!
n=0
until /usr/local/bin/ctr version > /dev/null 2>&1; do
  n=$((n + 1)); [ $n -lt 100 ] || { cat /bake-input/containerd.log; exit 1; }
  sleep 0.2
done
/usr/local/bin/ctr -n k8s.io images import --platform "linux/$(cat /bake-input/arch)" --local --discard-unpacked-layers /bake-input/images.tar || \\
  /usr/local/bin/ctr -n k8s.io images import /bake-input/images.tar
/usr/local/bin/ctr -n k8s.io images ls -q
/usr/local/bin/ctr -n k8s.io content ls -q | wc -l
kill $pid; wait $pid || true
rm -rf /var/lib/containerd; mkdir -p /var/lib/containerd
cp -a /bake/. /var/lib/containerd/
rm -rf /var/lib/containerd/tmpmounts/*
rm -rf /bake-input
du -sm /var/lib/containerd
`;

async function machineFiles(
  root: string,
  c: Components,
  work: string,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<FileEntry[]> {
  const arch = hostArchitecture();
  const files: FileEntry[] = [];
  for (const artefact of artefactsOf(c, arch)) {
    const folder = await buildGoModule(root, artefact.build, arch, artefact.binaries, log, signal);
    for (const name of artefact.binaries) {
      if (/^kube-/.test(name)) continue;
      const cni = artefact.build.module.includes("containernetworking");
      files.push({ from: join(folder, name), to: cni ? `/opt/cni/bin/${name}` : `/usr/local/bin/${name}` });
    }
  }
  const text = async (to: string, body: string, mode: number): Promise<void> => {
    const from = join(work, createHash("sha256").update(to).digest("hex"));
    await writeFile(from, body);
    files.push({ from, to, mode });
  };
  await text("/etc/cloud/cloud.cfg.d/90_honest_local.cfg", cloudConfig, 0o644);
  await text("/usr/lib/honest-local/disks", disksScript, 0o755);
  await text("/etc/systemd/system/honest-local-disks.service", disksUnit, 0o644);
  await text("/etc/honest-paas/image.json", `${JSON.stringify({ ...c })}\n`, 0o644);
  await text("/bake-input/bake.sh", bakeScript, 0o755);
  await text("/bake-input/arch", arch, 0o644);
  return files;
}

export interface MachineImageOptions {
  readonly engine: ImageEngine;
  /** "honest-paas/machine:1.36.3" */
  readonly tag: string;
  readonly source?: Source;
  readonly root?: string;
  readonly log: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** Builds the image unless the engine has it. Two processes at once: the second waits for the first. */
export async function ensureMachineImage(options: MachineImageOptions): Promise<void> {
  const { engine, tag, signal } = options;
  if (await engine.imageExists(tag)) return;
  const version = versionOfTag(tag);
  const c = version === undefined ? undefined : componentsOf(version);
  if (!c) throw new Error(`no recipe for the image ${tag}: images are built for Kubernetes ${supportedVersions.join(", ")}`);
  const root = options.root ?? cacheRoot();
  const note = (text: string): void => options.log({ stage: "machine image", item: tag, done: 0, total: 1, note: text });
  const built = await buildMirror({ versions: [c], source: options.source ?? "auto", root, log: options.log, signal });
  const images = built.images.get(c.kubernetes) ?? [];
  await withLock(
    join(root, `image-${c.kubernetes}.lock`),
    () => note("another process builds this image; waiting for it"),
    signal,
    async () => {
      if (await engine.imageExists(tag)) return;
      const rootfs = await debianRootfs(root, "bookworm", machinePackages, note, signal);
      const base = `honest-paas/base:${createHash("sha256").update(rootfs).digest("hex").slice(0, 12)}`;
      if (!(await engine.imageExists(base))) await engine.importImage(createReadStream(rootfs), base, ['CMD ["/lib/systemd/systemd"]']);
      const work = join(root, "bake", `${c.kubernetes}-${process.pid}`);
      await mkdir(work, { recursive: true });
      const archive = join(work, "images.tar");
      await writeArchive(archive, imageArchive(images));
      const files = [...(await machineFiles(root, c, work, note, signal)), { from: archive, to: "/bake-input/images.tar", mode: 0o644 }];
      note("importing images into containerd's store");
      await engine.bakeImage({
        from: base,
        tag,
        files: () => tarOf(files),
        command: ["/bin/sh", "/bake-input/bake.sh"],
        volume: "/bake",
        changes: ['CMD ["/lib/systemd/systemd"]', "LABEL honest-paas.dev/owner=honest-paas"],
        log: note,
        signal,
      });
      const { rm } = await import("node:fs/promises");
      await rm(work, { recursive: true, force: true });
    },
  );
  options.log({ stage: "machine image", item: tag, done: 1, total: 1 });
}

async function writeArchive(path: string, tar: Readable): Promise<void> {
  const { createWriteStream } = await import("node:fs");
  const { pipeline } = await import("node:stream/promises");
  if (await exists(path)) return;
  await pipeline(tar, createWriteStream(`${path}.part`));
  await rename(`${path}.part`, path);
}
