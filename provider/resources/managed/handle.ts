// What a node group has to know of its cluster, as one attribute that is given from one resource to the other. In two
// parts: the spec is known at plan always, so that the plan of a group can list its blocks before the cluster is there;
// what is only known after apply (trust, ids) comes with the apply.
import { canonicalJson } from "../../../constructs/blueprint/machine-spec.js";
import type { Attribute } from "../../framework/schema.js";
import { hasUnknown, isUnknown, type ObjectValue, type Unknown, unknown, type Value } from "../../framework/value.js";
import { attributeAt, type LookUp } from "../../managed/resolve.js";
import { isObject } from "../cluster/decode.js";
import type { Json } from "./input.js";

const parts = (kind: "computed" | "required"): Readonly<Record<string, Attribute>> => ({
  spec: { type: "string", [kind]: true, description: "The cluster's spec as far as its groups need it, as JSON." },
  trust: {
    type: "string",
    [kind]: true,
    sensitive: true,
    description: "What machines of the groups refer to: authorities with their keys, ids of networks. As JSON.",
  },
});

export const handleAttribute: Attribute = {
  computed: true,
  sensitive: true,
  description: "What honest_node_group.cluster takes. Holds keys.",
  nested: { mode: "single", attributes: parts("computed") },
};
export const clusterAttribute: Attribute = {
  required: true,
  sensitive: true,
  description: "The cluster that the group belongs to: honest_cluster.NAME.handle.",
  nested: { mode: "single", attributes: parts("required") },
};

export function handleOf(spec: Json, needed: Readonly<Record<string, readonly string[]>>, lookUp: LookUp): ObjectValue {
  const trust = Object.fromEntries(
    Object.entries(needed).map(([resource, attributes]) => {
      const value = lookUp(resource) ?? unknown;
      return [resource, Object.fromEntries(attributes.map((attribute) => [attribute, attributeAt(value, attribute)]))];
    }),
  );
  return { spec: canonicalJson(spec), trust: hasUnknown(trust as Value) ? unknown : canonicalJson(trust) };
}

export interface Handle {
  readonly spec: Json;
  /** Whether everything that it refers to is known. */
  readonly known: boolean;
  readonly outside: LookUp;
}

/** Null: the spec itself is not known. */
export function readHandle(given: Value | undefined): Handle | null {
  if (!isObject(given) || typeof given.spec !== "string") return null;
  const { trust } = given;
  const known = typeof trust === "string";
  const values = known ? (JSON.parse(trust) as Readonly<Record<string, ObjectValue>>) : {};
  const outside = (resource: string): ObjectValue | Unknown | undefined => (isUnknown(trust) ? unknown : values[resource]);
  return { spec: JSON.parse(given.spec) as Json, known, outside };
}
