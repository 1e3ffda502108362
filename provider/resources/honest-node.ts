// honest_node: one machine's membership of a cluster, and the gate in front of its end.
import { error } from "../framework/diagnostic.js";
import type { Resource } from "../framework/resource.js";
import { badTimeouts, text, texts } from "./cluster/decode.js";
import { isMachineGone } from "./cluster/gone.js";
import { badTimeout } from "./cluster/words.js";
import { createNode, updateNode } from "./node/create.js";
import { deleteNode } from "./node/delete.js";
import { parseTaint } from "./node/dress.js";
import { planNode } from "./node/plan.js";
import { readNode } from "./node/read.js";
import { nodeSchema } from "./node/schema.js";

export const honestNode: Resource = {
  name: "honest_node",
  schema: nodeSchema,

  async validate({ config }) {
    const role = text(config.role);
    return [
      ...(role === null || role === "control-plane" || role === "worker"
        ? []
        : [error("Not a role", `role is ${JSON.stringify(role)}. Allowed: control-plane, worker.`, ["role"])]),
      ...texts(config.taints)
        .filter((taint) => parseTaint(taint) === undefined)
        .map((taint) =>
          error(
            "Not a taint",
            `taints has ${JSON.stringify(taint)}. Write key=value:Effect with Effect NoSchedule, PreferNoSchedule or NoExecute.`,
            ["taints"],
          ),
        ),
      ...badTimeouts(config).map(({ verb, got }) => badTimeout(verb, got)),
    ];
  },

  plan: async (request, context) => planNode(request, isMachineGone(context, text(request.prior?.vm_id) ?? "")),
  create: createNode,
  update: updateNode,
  read: readNode,
  delete: deleteNode,
  importRefused: "Apply the configuration instead: the membership finds its node in the cluster and takes it over as it is.",
};
