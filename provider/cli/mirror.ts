// honest-paas mirror build: files and images of Kubernetes versions in upstream's own layout.
import { resolve } from "node:path";
import type { Architecture } from "../mirror/artefact.js";
import { buildMirror, hostArchitecture, type Source } from "../mirror/build.js";
import { componentsOf, defaultVersion, supportedVersions } from "../mirror/versions.js";
import { type Command, type Flag, type FlagValues, first, UserError } from "./command.js";
import { ensureBuilders, hostOf } from "./demo/host.js";
import { readProgress } from "./demo/mirror-progress.js";

export const sourceFlag: Flag = {
  name: "source",
  value: "SOURCE",
  help: "upstream (download and check sums), gomod (build from Go modules and Debian packages) or auto (upstream, else gomod, saying why). Default auto.",
};
export const folderFlag: Flag = { name: "folder", value: "FOLDER", help: "The mirror. Default: mirror below the cache." };

function oneOf<T extends string>(name: string, text: string | undefined, allowed: readonly T[], otherwise: T): T {
  if (text === undefined) return otherwise;
  const found = allowed.find((value) => value === text);
  if (!found) throw new UserError(`--${name} is "${text}". Allowed: ${allowed.join(", ")}.`);
  return found;
}

export const sourceFrom = (flags: FlagValues): Source => oneOf("source", first(flags, "source"), ["auto", "upstream", "gomod"], "auto");

export const mirrorBuild: Command = {
  name: "mirror build",
  summary: "Fills a mirror: Kubernetes, containerd, runc, CNI, crictl, etcd, and the images, in upstream's own layout.",
  details: [
    "Done work is kept, so an interrupted build goes on where it was. Copy the folder to where there is no internet and serve it there.",
  ],
  flags: [
    {
      name: "version",
      value: "VERSION",
      many: true,
      help: `Kubernetes: ${supportedVersions.join(", ")}; may be repeated. Default ${defaultVersion}.`,
    },
    { name: "arch", value: "ARCH", help: `amd64 or arm64. Default ${hostArchitecture()}.` },
    sourceFlag,
    folderFlag,
    { name: "no-install", help: "Install no Debian packages." },
  ],
  async run(flags, io) {
    const versions = (flags.version ?? [defaultVersion]).map((version) => {
      const found = componentsOf(version);
      if (!found) throw new UserError(`--version is "${version}". Supported: ${supportedVersions.join(", ")}.`);
      return found;
    });
    const arch = oneOf<Architecture>("arch", first(flags, "arch"), ["amd64", "arm64"], hostArchitecture());
    const folder = first(flags, "folder");
    await ensureBuilders(hostOf(flags["no-install"] === undefined), io.env, io.say, io.signal);
    const built = await buildMirror({
      versions,
      arch,
      source: sourceFrom(flags),
      log: readProgress(io.say),
      signal: io.signal,
      ...(folder ? { folder: resolve(io.cwd, folder) } : {}),
    });
    io.out(`${built.folder}\n`);
    return 0;
  },
};
