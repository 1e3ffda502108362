// honest-paas demo: a cluster from nothing, in stages.

import { wordBytes } from "../../engine/free-space.js";
import { withLock } from "../../mirror/cache.js";
import { supportedVersions } from "../../mirror/versions.js";
import type { Command, FlagValues, Io } from "../command.js";
import { has } from "../command.js";
import { createDemo } from "./create.js";
import { destroyDemo } from "./destroy.js";
import { layoutOf } from "./layout.js";
import { defaults, defaultWait } from "./settings.js";
import { sizes } from "./space.js";

/** How the user called us, for the hints at the end. */
export const calledAs = (env: Io["env"]): string => (env.npm_lifecycle_event === "demo" ? "npm run demo --" : "npx honest-paas demo");

const noInstall = { name: "no-install", help: "Install nothing and start no engine; say what is missing instead." } as const;

/** Two demos in one folder would write one state. */
const alone = (io: Io, work: (layout: ReturnType<typeof layoutOf>) => Promise<number>): Promise<number> => {
  const layout = layoutOf(io.cwd, io.env);
  const waiting = (): void => io.say("another demo is at work in this folder; waiting for it");
  return withLock(layout.lock, waiting, io.signal, () => work(layout));
};

export const demo: Command = {
  name: "demo",
  summary: "Makes a Kubernetes cluster on this computer: machines in Docker, terraform, cloud-init, and a proof that it works.",
  details: [
    "Stages: engine, artefacts, image, init, plan, apply, nodes, workload. Each says what it does and how long it took. The first run builds or downloads Kubernetes and a machine image, kept in the cache for the next one.",
    "As root on Debian or Ubuntu it installs what is missing (docker.io, iptables, mmdebstrap, a C compiler) and starts the engine. terraform or tofu 1.8 or newer must be on PATH; without one OpenTofu is built from its Go module when Go is there.",
    `Disk space is looked at before anything is made, for what is still missing: ${wordBytes(sizes.mirror)} in the cache for a version's files and images, ${wordBytes(sizes.goBuild)} in Go's build cache when they must be built from Go modules, and where the engine keeps its data ${wordBytes(sizes.image)} for the machine image and ${wordBytes(sizes.cluster)} for the cluster. With less the demo refuses; --no-space-check goes on all the same.`,
    "It may be run again at any time: nothing changes, or what an interrupted run began is finished. A flag that is left out keeps what the cluster has. Another --version upgrades, machine by machine.",
    "Everything is below .honest/demo of the current folder, with the cluster's keys in terraform's state. honest-paas demo destroy removes all of it.",
    "Environment: HONEST_DEMO_NAME is the cluster's name (default demo), DOCKER_HOST the engine, HONEST_PAAS_CACHE the cache.",
  ],
  flags: [
    { name: "control-planes", value: "N", help: `Control-plane machines: 1, 3 or 5. Default ${defaults.controlPlanes}.` },
    {
      name: "workers",
      value: "N",
      help: `Worker machines: 0 to 20. Default ${defaults.workers}. Scales when it differs from what is there.`,
    },
    { name: "version", value: "VERSION", help: `Kubernetes: ${supportedVersions.join(", ")}. Default ${defaults.version}.` },
    {
      name: "wait",
      value: "SECONDS",
      help: `How long the nodes may take to be Ready, and the workload after them: 1 to 3600. Default ${defaultWait}.`,
    },
    { name: "no-space-check", help: "Begin also when the disk has less free than what is still to be made needs." },
    noInstall,
  ],
  run: (flags: FlagValues, io: Io) => alone(io, (layout) => createDemo(flags, layout, io, !has(flags, "no-install"))),
};

export const demoDestroy: Command = {
  name: "demo destroy",
  summary: "Removes the demo: machines, disks, networks, loop devices, state, and the engine if the demo started it.",
  details: [
    "Works after a failed or interrupted run too: terraform destroy first, then whatever the engine still has of the cluster. The cache stays, so that the next demo is quick; remove it by hand when you want the space back.",
  ],
  flags: [noInstall],
  run: (flags: FlagValues, io: Io) => alone(io, (layout) => destroyDemo(layout, io, !has(flags, "no-install"))),
};
