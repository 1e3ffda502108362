// PlanResourceChange: decode, propose, let the resource have its say, encode.
import { proposePlan, replacedBy } from "../framework/plan.js";
import type { Resource } from "../framework/resource.js";
import { schemaType } from "../framework/types.js";
import { diagnosticMessages, pathMessage } from "./diagnostic-message.js";
import { decodeObject, encodeDynamic } from "./dynamic.js";
import { contextOf, readPrivate, type Session, writePrivate } from "./session.js";
import type { Decoded } from "./wire.js";

export async function planChange(session: Session, resource: Resource, request: Decoded): Promise<Decoded> {
  const type = schemaType(resource.schema);
  const prior = decodeObject(type, request.priorState);
  const destroy = decodeObject(type, request.proposedNewState) === null;
  const config = destroy ? null : decodeObject(type, request.config);
  const held = readPrivate(request.priorPrivate);
  const proposed = config === null ? null : proposePlan(resource.schema, config, prior);
  const plan = resource.plan ? await resource.plan({ prior, config, proposed, private: held }, contextOf(session)) : { planned: proposed };
  const replace =
    plan.planned === null || config === null || prior === null
      ? []
      : new Set([...replacedBy(resource.schema, prior, plan.planned, config), ...(plan.replace ?? [])]);
  return {
    plannedState: encodeDynamic(type, plan.planned),
    requiresReplace: [...replace].map((name) => pathMessage([name])),
    plannedPrivate: writePrivate(plan.private ?? held),
    diagnostics: diagnosticMessages(plan.diagnostics),
  };
}
