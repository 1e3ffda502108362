// honest_local_machine: one machine of the local IaaS.
import { refused } from "../engine/error.js";
import { createMachine } from "../engine/machine-create.js";
import { deleteMachine } from "../engine/machine-delete.js";
import { setDisks } from "../engine/machine-disks.js";
import { inspectMachine } from "../engine/machine-find.js";
import { readMachine, toMachine } from "../engine/machine-read.js";
import { parseShape } from "../engine/machine-shape.js";
import { startMachine } from "../engine/machine-start.js";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import type { Resource, StateResponse } from "../framework/resource.js";
import { isUnknown, type ObjectValue, unknown } from "../framework/value.js";
import { text, texts } from "./cluster/decode.js";
import { machineIsGone } from "./cluster/gone.js";
import { checkAddress, checkNames, checkNumber, checkText, checkTimeouts } from "./local/checks.js";
import { ensureImage } from "./local/image.js";
import { machineSchema, machineSpec, timeouts, typeAllowed, withMachine } from "./local/machine-schema.js";
import { change, read } from "./local/session.js";

/** What a machine of a small cluster writes besides its image: images that were unpacked, logs, pods' files. */
const wantsBytes = 500_000_000;

const subject = (value: ObjectValue): string => `Machine "${text(value.name)}" of the cluster "${text(value.cluster)}"`;

const isBase64 = (value: string): boolean => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

function checkDisks(config: ObjectValue): readonly Diagnostic[] {
  const ids = texts(config.disk_ids);
  const twice = ids.filter((id, n) => ids.indexOf(id) !== n);
  return twice.length === 0
    ? []
    : [error("A disk is attached twice", `disk_ids has ${JSON.stringify(twice[0])} more than once. Name each disk once.`, ["disk_ids"])];
}

export const honestLocalMachine: Resource = {
  name: "honest_local_machine",
  schema: machineSchema,

  validate: async ({ config }) => [
    ...checkNames(config),
    ...checkAddress(config, "address"),
    ...checkText(config, "instance_type", typeAllowed, (value) => parseShape(value) !== null),
    ...checkText(config, "image", "a name of an image in the engine, for example honest-paas/machine:1.36.3", (value) => value !== ""),
    ...checkText(config, "hostname", "1 to 63 characters of a-z, 0-9, dots and dashes", (value) =>
      /^[a-z0-9][a-z0-9.-]{0,62}$/.test(value),
    ),
    ...(text(config.user_data_base64) === null || isBase64(text(config.user_data_base64) ?? "")
      ? []
      : [
          error("Bad value of user_data_base64", "user_data_base64 is not base64. Use base64encode() or base64gzip().", [
            "user_data_base64",
          ]),
        ]),
    ...checkNumber(config, "root_disk_gib", 1, 65_536),
    ...checkDisks(config),
    ...checkTimeouts(config),
  ],

  /** A machine that should run is planned to run; what does not change in place keeps its known value. */
  async plan({ prior, proposed }) {
    if (!proposed) return { planned: proposed };
    const given = proposed.address ?? null;
    const address = given === null ? (prior?.ip_address ?? unknown) : isUnknown(given) ? unknown : given;
    return { planned: { ...proposed, id: prior?.id ?? unknown, ip_address: address, running: true } };
  },

  create: ({ planned }, context) =>
    change(
      context,
      subject(planned),
      { verb: "create", fallback: timeouts.create, resource: planned, wantsBytes },
      null,
      async (engine) => {
        const spec = machineSpec(planned);
        await ensureImage(engine, spec.image, context);
        return { state: withMachine(planned, await createMachine(engine, spec)) };
      },
    ),

  read: ({ state }, context) =>
    read(context, subject(state), state, async (engine) => {
      const machine = await readMachine(engine, String(state.cluster), String(state.id));
      if (machine === null) machineIsGone(context, String(state.id));
      return machine && withMachine(state, machine);
    }),

  async update({ planned, prior }, context): Promise<StateResponse> {
    const [cluster, id] = [String(planned.cluster), String(planned.id)];
    return change(context, subject(planned), { verb: "update", fallback: timeouts.update, resource: planned }, prior, async (engine) => {
      const must = async () => {
        const found = await inspectMachine(engine, cluster, id);
        if (found) return found;
        throw refused(
          "The machine has vanished",
          `The engine ${engine.host} has no machine ${id} any more.`,
          "Apply again: the next plan makes it anew.",
        );
      };
      await setDisks(engine, cluster, id, await must(), texts(planned.disk_ids));
      await startMachine(engine, cluster, id, await must());
      return { state: withMachine(planned, await toMachine(engine, await must())) };
    });
  },

  delete: ({ prior }, context) =>
    change(context, subject(prior), { verb: "delete", fallback: timeouts.delete, resource: prior }, prior, async (engine) => {
      await deleteMachine(engine, String(prior.cluster), String(prior.id));
      return { state: null };
    }),

  importRefused: "A machine of an interrupted run is found again by an apply; one that Terraform has never made is somebody else's.",
};
