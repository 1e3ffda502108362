// All commands, in the order of the help.
import type { Command } from "./command.js";
import { converge } from "./converge/command.js";
import { demo, demoDestroy } from "./demo/command.js";
import { doctor } from "./doctor.js";
import { imageBuild } from "./image.js";
import { providerInstall } from "./install.js";
import { credential, kubeconfig } from "./kubeconfig/command.js";
import { mirrorBuild, mirrorServe, mirrorVerify } from "./mirror.js";
import { snapshotList, snapshotVerify } from "./snapshot/command.js";
import { snapshotRestore } from "./snapshot/restore.js";
import { status } from "./status/command.js";

export const commands: readonly Command[] = [
  demo,
  demoDestroy,
  kubeconfig,
  status,
  converge,
  snapshotList,
  snapshotVerify,
  snapshotRestore,
  providerInstall,
  mirrorBuild,
  mirrorServe,
  mirrorVerify,
  imageBuild,
  doctor,
  credential,
];
