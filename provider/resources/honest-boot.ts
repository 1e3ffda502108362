// One machine's user-data and shape, and its pace. Apply does no I/O and cannot fail: it runs after its old machine was
// destroyed. What the cluster says is read by Read alone, once per process, and kept in private state.
import { generationIn } from "../boot/document.js";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import type { ApplyRequest, Resource } from "../framework/resource.js";
import { isUnknown, type ObjectValue } from "../framework/value.js";
import { readFactsInto } from "./boot/facts.js";
import { planBoot } from "./boot/plan.js";
import { budgetProblem, render, sourceOf, specOf } from "./boot/render.js";
import { bootSchema } from "./boot/schema.js";
import { bundleProblem, validateBoot } from "./boot/validate.js";
import { isWholeAccess } from "./cluster/access.js";

const otherAuthorities = (name: string): Diagnostic =>
  error(
    "Authorities are others than planned",
    `late.pki of ${name} came with authorities of another rotation than this plan knew of, so its release would be another. Plan again.`,
    ["late", "pki"],
  );

export const honestBoot: Resource = {
  name: "honest_boot",
  schema: bootSchema,
  importRefused:
    "the bytes that a machine was made with cannot be read back, and other bytes would replace it. Create it anew with the old spec.",

  validate: async ({ config }) => validateBoot(config),

  plan: async (request) => planBoot(request),

  async create({ planned }: ApplyRequest) {
    const late = planned.late as ObjectValue;
    const notBundle = bundleProblem(planned);
    if (notBundle.length > 0) return { state: null, diagnostics: notBundle };
    if (generationIn(late.pki) !== planned.authorities) return { state: null, diagnostics: [otherAuthorities(specOf(planned).name)] };
    const data = render(planned, late, planned.born === true, sourceOf(planned));
    const problem = budgetProblem(planned, data);
    if (problem.length > 0) return { state: null, diagnostics: problem };
    return { state: { ...planned, user_data: data.text, user_data_bytes: data.bytes, late_seen: { ...late } } };
  },

  async read({ state, private: held }, context) {
    // no access, or one that is not whole yet: nothing to read
    if (!isWholeAccess(state.access)) return { state };
    return readFactsInto(state, held, context);
  },

  async update({ planned }) {
    const late = planned.late as ObjectValue;
    if (!isUnknown(planned.user_data)) return { state: { ...planned, late_seen: { ...late } } };
    const data = render(planned, late, planned.born === true, sourceOf(planned));
    return { state: { ...planned, user_data: data.text, user_data_bytes: data.bytes, late_seen: { ...late } } };
  },

  async delete() {
    return { state: null };
  },
};
