// honest-paas mirror: files and images of Kubernetes versions in upstream's own layout; filled, checked, served.
import { join, resolve } from "node:path";
import type { Architecture } from "../mirror/artefact.js";
import { buildMirror, hostArchitecture, type Source } from "../mirror/build.js";
import { cacheRoot } from "../mirror/cache.js";
import { serveMirror } from "../mirror/serve.js";
import { verifyMirror } from "../mirror/verify.js";
import { componentsOf, defaultVersion, supportedVersions } from "../mirror/versions.js";
import { type Command, type Flag, type FlagValues, first, type Io, UserError, wholeNumber } from "./command.js";
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
    const built = await buildMirror({
      versions,
      arch,
      source: sourceFrom(flags),
      // who asks for a build wants what is spoilt mended too
      thorough: true,
      prepare: () => ensureBuilders(hostOf(flags["no-install"] === undefined), io.say, io.signal),
      log: readProgress(io.say),
      signal: io.signal,
      ...(folder ? { folder: resolve(io.cwd, folder) } : {}),
    });
    io.out(`${built.folder}\n`);
    return 0;
  },
};

const folderFrom = (flags: FlagValues, io: Io): string => {
  const given = first(flags, "folder");
  return given ? resolve(io.cwd, given) : join(cacheRoot(), "mirror");
};

export const mirrorServe: Command = {
  name: "mirror serve",
  summary: "Serves a mirror over HTTP: files at upstream's paths and a pull-only registry for the images.",
  details: [
    "Give its address to a cluster as mirror. It runs in the foreground until ctrl-C; for more than a try put a real web server in front of the folder.",
  ],
  flags: [
    folderFlag,
    { name: "port", value: "PORT", help: "Default 8080; 0 takes a free one." },
    { name: "address", value: "ADDRESS", help: "Address to listen on. Default 127.0.0.1: only this computer." },
  ],
  async run(flags, io) {
    const port = wholeNumber(flags, "port", { min: 0, max: 65_535, otherwise: 8080 });
    const address = first(flags, "address");
    const served = await serveMirror({ folder: folderFrom(flags, io), port, log: io.say, ...(address ? { address } : {}) });
    io.out(`${served.url}\n`);
    await new Promise<void>((done) => {
      if (io.signal.aborted) done();
      io.signal.addEventListener("abort", () => done(), { once: true });
    });
    await served.close();
    return 0;
  },
};

export const mirrorVerify: Command = {
  name: "mirror verify",
  summary: "Checks every file, image and layer of a mirror against its recorded sum.",
  flags: [folderFlag],
  async run(flags, io) {
    const folder = folderFrom(flags, io);
    const { files, images, blobs, faults } = await verifyMirror({ folder, signal: io.signal });
    for (const { path, problem } of faults) io.out(`${path}: ${problem}\n`);
    io.say(`${folder}: ${files} files, ${images} images, ${blobs} layers and manifests, ${faults.length} faults`);
    if (faults.length) io.say("honest-paas mirror build makes what is broken anew");
    return faults.length ? 1 : 0;
  },
};
