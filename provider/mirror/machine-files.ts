// The files of a machine image that do not come from Debian.
import { join } from "node:path";
import type { Architecture } from "./artefact.js";
import { bakeScript, cloudConfig, crictlConfig, disksScript, disksUnit } from "./bake-script.js";
import { itemsOf } from "./plan.js";
import type { FileEntry } from "./tar.js";
import { programsOf } from "./unpack.js";
import type { Components } from "./versions.js";

/** Run as static pods from images, not from the machine's own programs. */
const inImages: readonly string[] = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"];

/** `work`: a folder for what is unpacked, needed until the files have been read. */
export async function machineFiles(work: string, mirror: string, c: Components, arch: Architecture): Promise<readonly FileEntry[]> {
  const entries: FileEntry[] = [];
  for (const item of itemsOf(c, arch)) {
    if (item.kind === "image") continue;
    const cni = item.parts[0].build.module === "github.com/containernetworking/plugins";
    const programs = await programsOf(mirror, item.parts, join(work, "unpacked"));
    for (const { name, file } of programs)
      if (!inImages.includes(name)) entries.push({ from: file, to: `${cni ? "/opt/cni/bin" : "/usr/local/bin"}/${name}` });
  }
  const text = (to: string, body: string, mode = 0o644): FileEntry => ({ to, text: body, mode });
  return [
    ...entries,
    text("/etc/cloud/cloud.cfg.d/90_honest_local.cfg", cloudConfig),
    text("/usr/lib/honest-local/disks", disksScript, 0o755),
    text("/etc/systemd/system/honest-local-disks.service", disksUnit),
    text("/etc/crictl.yaml", crictlConfig),
    text("/etc/honest-paas/image.json", `${JSON.stringify(c)}\n`),
    text("/bake-input/bake.sh", bakeScript, 0o755),
    text("/bake-input/arch", arch),
  ];
}
