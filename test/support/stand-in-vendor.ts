// A vendor's provider made of its schema alone, with a world in memory, for plans and applies by a real terraform: it checks
// references, types and orders, not what a cloud does. The world refuses what every cloud refuses: to take away what
// others still use, and to give one name, address or disk to two.
import { error } from "../../provider/framework/diagnostic.js";
import type { Provider, Resource, StateResponse } from "../../provider/framework/resource.js";
import type { Attribute, AttributeType, Schema } from "../../provider/framework/schema.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../../provider/framework/value.js";
import type { CloudAttribute, CloudBlock, CloudSchema, SchemaType } from "./cloud-schema.js";

export interface VendorRules {
  /** Attributes whose change makes another object, by type; nested ones by the name of their block. */
  readonly replace?: Readonly<Record<string, readonly string[]>>;
  /** Sets of attributes that no two living objects of a type have alike. Nothing is compared where one is empty. */
  readonly unique?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Types whose id is their name. */
  readonly named?: readonly string[];
  /** Called with each change: "create aws_vpc", with the object. */
  readonly seen?: (event: string, object: ObjectValue) => void;
  /** What an object has that its vendor fills in. */
  readonly fill?: Readonly<Record<string, (object: ObjectValue) => ObjectValue>>;
}

export interface World {
  readonly objects: ReadonlyMap<string, { readonly type: string; readonly object: ObjectValue }>;
  /** Takes an object away behind terraform's back. */
  vanish(id: string): void;
}

interface Made {
  readonly type: string;
  object: ObjectValue;
}

const primitive = (type: SchemaType | null): AttributeType => {
  if (type === null) return "string";
  if (typeof type === "string") return type as AttributeType;
  if (type[0] === "object")
    return {
      object: Object.fromEntries(Object.entries(type[1] as Readonly<Record<string, SchemaType>>).map(([k, t]) => [k, primitive(t)])),
    };
  return { [type[0]]: primitive(type[1] as SchemaType) } as unknown as AttributeType;
};

function plain(of: CloudAttribute, replaces: boolean): Attribute {
  return {
    type: primitive(of.type),
    description: "As the vendor says.",
    ...(of.required ? { required: true } : {}),
    ...(of.optional ? { optional: true } : {}),
    ...(of.computed ? { computed: true } : {}),
    ...(replaces ? { change: "replace" as const } : {}),
  };
}

function attributes(of: CloudBlock, replace: readonly string[]): Readonly<Record<string, Attribute>> {
  const own = Object.entries(of.attributes)
    // a block of every SDK's resource, and no argument of ours
    .filter(([name]) => name !== "timeouts" && of.blocks[name] === undefined)
    .map(([name, a]) => [name, plain(name === "id" ? { ...a, optional: false, computed: true } : a, replace.includes(name))] as const);
  const nested = Object.entries(of.blocks).map(([name, inner]) => {
    const of: Attribute = {
      // a list holds a block of one as well; JSON writes both alike
      nested: { mode: inner.nesting === "set" ? "set" : "list", attributes: attributes(inner.block, []) },
      description: "As the vendor says.",
      ...(inner.required ? { required: true } : { optional: true }),
      ...(replace.includes(name) ? { change: "replace" as const } : {}),
    };
    return [name, of] as const;
  });
  return Object.fromEntries([...own, ...nested]);
}

function settled(of: Attribute, value: Value, id: string, name: string): Value {
  if (of.nested && Array.isArray(value)) return value.map((item) => settledObject(of.nested?.attributes ?? {}, item as ObjectValue, id));
  if (!isUnknown(value)) return value;
  if (name === "id") return id;
  if (of.type === "string") return `${name} of ${id}`;
  if (of.type === "number") return 0;
  if (of.type === "bool") return false;
  return typeof of.type === "object" && "map" in of.type ? {} : [];
}

const settledObject = (all: Readonly<Record<string, Attribute>>, object: ObjectValue, id: string): ObjectValue =>
  Object.fromEntries(Object.entries(all).map(([name, of]) => [name, settled(of, object[name] ?? null, id, name)]));

function texts(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || isUnknown(value)) return [];
  return Object.values(value as Readonly<Record<string, Value>>).flatMap(texts);
}

/** What is known of an object before it is changed stays known: a vendor gives nothing a new id. */
const kept = (planned: ObjectValue, prior: ObjectValue): ObjectValue =>
  Object.fromEntries(Object.entries(planned).map(([name, value]) => [name, isUnknown(value) ? (prior[name] ?? unknown) : value]));

const wrong = (state: ObjectValue | null, summary: string, detail: string): StateResponse => ({
  state,
  diagnostics: [error(summary, detail, [])],
});

/** `others` are more worlds whose objects hold ids of this one. */
export function standInVendor(schema: CloudSchema, rules: VendorRules = {}): { readonly provider: Provider; readonly world: World } {
  const objects = new Map<string, Made>();
  let next = 0;
  const taken = (type: string, object: ObjectValue): string | null => {
    for (const fields of rules.unique?.[type] ?? []) {
      const key = (of: ObjectValue): readonly string[] => fields.map((field) => texts(of[field] ?? null).join());
      const mine = key(object);
      if (mine.some((part) => part === "")) continue;
      const other = [...objects.values()].find((made) => made.type === type && key(made.object).join("|") === mine.join("|"));
      if (other) return `${fields.join(" and ")} ${mine.join(" and ")} of ${String(other.object.id)}`;
    }
    return null;
  };

  const resource = (name: string, of: CloudBlock): Resource => {
    const all = attributes(of, rules.replace?.[name] ?? []);
    const ofVendor: Schema = {
      version: 0,
      description: "As the vendor says.",
      attributes: { id: { type: "string", computed: true, description: "Id." }, ...all },
    };
    const fill = rules.fill?.[name] ?? ((object: ObjectValue) => object);
    return {
      name,
      schema: ofVendor,
      async plan({ prior, proposed }) {
        return { planned: proposed !== null && prior !== null ? kept(proposed, prior) : proposed };
      },
      async create({ planned }) {
        next += 1;
        const id = rules.named?.includes(name)
          ? String(planned.name)
          : `${name.replace(/^[a-z0-9]+_/, "").replaceAll("_", "-")}-${String(next).padStart(4, "0")}`;
        const object = fill(settledObject(ofVendor.attributes, planned, id));
        const why = taken(name, object);
        if (why !== null) return wrong(null, "Taken", `${name}: ${why} is in use`);
        objects.set(id, { type: name, object });
        rules.seen?.(`create ${name}`, object);
        return { state: object };
      },
      async read({ state }) {
        return { state: objects.get(String(state.id))?.object ?? null };
      },
      async update({ prior, planned }) {
        const id = String(prior?.id);
        const made = objects.get(id);
        if (made === undefined) return wrong(prior, "Gone", `${id} is not there`);
        made.object = fill(settledObject(ofVendor.attributes, planned, id));
        rules.seen?.(`update ${name}`, made.object);
        return { state: made.object };
      },
      async delete({ prior }) {
        const id = String(prior.id);
        const names = [id, ...(typeof prior.arn === "string" ? [prior.arn] : [])];
        const user = [...objects.values()].find((made) => made.object.id !== id && texts(made.object).some((text) => names.includes(text)));
        if (user) return wrong(prior, "In use", `${name} ${id} is used by ${user.type} ${String(user.object.id)}`);
        objects.delete(id);
        rules.seen?.(`delete ${name}`, prior);
        return { state: null };
      },
    };
  };

  const region: Attribute = { type: "string", optional: true, description: "Region." };
  return {
    provider: {
      version: "0.0.0",
      schema: { version: 0, description: "As the vendor says.", attributes: { region } },
      resources: Object.entries(schema.resources).map(([name, of]) => resource(name, of)),
      dataSources: [],
      ephemeralResources: [],
    },
    world: {
      objects,
      vanish(id) {
        objects.delete(id);
      },
    },
  };
}
