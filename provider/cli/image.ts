// honest-paas image build: the local IaaS's machine image of one or more Kubernetes versions.
import { createEngine } from "../engine/engine.js";
import { ensureMachineImage, machineImageTag } from "../mirror/machine-image.js";
import { defaultVersion, supportedVersions } from "../mirror/versions.js";
import { type Command, UserError } from "./command.js";
import { ensureBuilders, hostOf } from "./demo/host.js";
import { readProgress } from "./demo/mirror-progress.js";
import { sourceFlag, sourceFrom } from "./mirror.js";

export const imageBuild: Command = {
  name: "image build",
  summary: "Builds the machine image of the local IaaS: Debian with cloud-init and everything of one Kubernetes version.",
  flags: [
    {
      name: "version",
      value: "VERSION",
      many: true,
      help: `Kubernetes: ${supportedVersions.join(", ")}; may be repeated. Default ${defaultVersion}.`,
    },
    sourceFlag,
    { name: "no-install", help: "Install no Debian packages." },
  ],
  async run(flags, io) {
    const versions = flags.version ?? [defaultVersion];
    const source = sourceFrom(flags);
    for (const version of versions)
      if (!supportedVersions.includes(version))
        throw new UserError(`--version is "${version}". Supported: ${supportedVersions.join(", ")}.`);
    const engine = createEngine(io.env.DOCKER_HOST || undefined);
    try {
      for (const version of versions) {
        const tag = machineImageTag(version);
        const prepare = () => ensureBuilders(hostOf(flags["no-install"] === undefined), io.say, io.signal);
        await ensureMachineImage({ engine, tag, source, prepare, log: readProgress(io.say), signal: io.signal });
        io.out(`${tag}\n`);
      }
      return 0;
    } finally {
      await engine.close();
    }
  },
};
