// ApplyResourceChange: create, update or delete. Whatever fails, what is known to exist stays known: core forgets an object
// whose new state is null, and one that it forgets lives on unseen.
import type { Resource, StateResponse } from "../framework/resource.js";
import { schemaType } from "../framework/types.js";
import { hasUnknown, type ObjectValue, unknownAsNull } from "../framework/value.js";
import { diagnosticMessages } from "./diagnostic-message.js";
import { decodeObject, encodeDynamic } from "./dynamic.js";
import { bug, contextOf, readPrivate, type Session, writePrivate } from "./session.js";
import type { Decoded } from "./wire.js";

export async function applyChange(session: Session, resource: Resource, request: Decoded): Promise<Decoded> {
  const type = schemaType(resource.schema);
  const prior = decodeObject(type, request.priorState);
  const planned = decodeObject(type, request.plannedState);
  const held = readPrivate(request.plannedPrivate);
  const config = decodeObject(type, request.config);
  const answer = await attempt(session, resource, { prior, planned, config, private: held });
  return {
    newState: encodeDynamic(type, answer.state),
    private: writePrivate(answer.private ?? held),
    diagnostics: diagnosticMessages(answer.diagnostics),
  };
}

interface Change {
  readonly prior: ObjectValue | null;
  readonly planned: ObjectValue | null;
  readonly config: ObjectValue | null;
  readonly private: NonNullable<StateResponse["private"]>;
}

async function attempt(session: Session, resource: Resource, change: Change): Promise<StateResponse> {
  const { prior, planned } = change;
  const what = `${planned === null ? "Delete" : prior === null ? "Create" : "Update"} of ${resource.name}`;
  try {
    const answer = await call(session, resource, change);
    const failed = answer.diagnostics?.some((d) => d.severity === "error") ?? false;
    if (answer.state === null) {
      // a failed change of what exists: it still exists
      if (failed) return { ...answer, state: prior };
      if (planned !== null) throw new Error("no object came back, and no reason");
      return answer;
    }
    if (!hasUnknown(answer.state)) return answer;
    // stored with nulls rather than lost
    const state = unknownAsNull(answer.state) as ObjectValue;
    if (failed) return { ...answer, state };
    const left = bug(session, what, new Error("an attribute is still unknown after apply"));
    return { ...answer, state, diagnostics: [...(answer.diagnostics ?? []), left] };
  } catch (cause) {
    return { state: prior, diagnostics: [bug(session, what, cause)] };
  }
}

async function call(session: Session, resource: Resource, change: Change): Promise<StateResponse> {
  const { prior, planned, config, private: held } = change;
  const context = contextOf(session);
  if (planned === null) return prior === null ? { state: null } : resource.delete({ prior, private: held }, context);
  const request = { prior, planned, config: config ?? planned, private: held };
  if (prior === null) return resource.create(request, context);
  if (!resource.update) throw new Error("the resource cannot be changed in place");
  return resource.update(request, context);
}
