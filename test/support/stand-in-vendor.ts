// A vendor's provider made of its schema alone, with a world in memory, for plans and applies by a real terraform: it checks
// references, types and orders, not what a cloud does. The world refuses what every cloud refuses: to take away what
// others still use, and to give one name, address or disk to two.
import { error } from "../../provider/framework/diagnostic.js";
import type { Provider, Resource, StateResponse } from "../../provider/framework/resource.js";
import type { Attribute, AttributeType, Schema } from "../../provider/framework/schema.js";
import { isUnknown, type ObjectValue, type Value } from "../../provider/framework/value.js";
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
  /** What a provider knows at plan already, by type: other values than the configuration's, the prior ones or unknown. */
  readonly plan?: Readonly<Record<string, (planned: ObjectValue) => ObjectValue>>;
}

export interface World {
  readonly objects: ReadonlyMap<string, { readonly type: string; readonly object: ObjectValue }>;
  /** Takes an object away behind terraform's back. */
  vanish(key: string): void;
  /** Changes one there. */
  drift(key: string, to: ObjectValue): void;
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
  if (of.nested?.mode === "single" || (typeof of.type === "object" && "object" in of.type)) return null;
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

/** Whatever else an object names than itself. */
const usedBy = ({ id, arn, name, tags, tags_all, ...rest }: ObjectValue): readonly string[] => texts(rest);

/** What the vendor fills in stays while an object is changed: nothing gets a new id. What the configuration does not know yet is another thing. */
const kept = (planned: ObjectValue, prior: ObjectValue, config: ObjectValue): ObjectValue =>
  Object.fromEntries(
    Object.entries(planned).map(([name, value]) => [
      name,
      isUnknown(value) && (config[name] ?? null) === null ? (prior[name] ?? null) : value,
    ]),
  );

const wrong = (state: ObjectValue | null, summary: string, detail: string): StateResponse => ({
  state,
  diagnostics: [error(summary, detail, [])],
});

export interface StandIn {
  readonly provider: Provider;
  readonly world: World;
}

export const standInVendor = ({ resources }: CloudSchema, rules: VendorRules = {}): StandIn =>
  standIn(
    Object.entries(resources).map(([name, of]) => ({
      name,
      schema: {
        version: 0,
        description: "As the vendor says.",
        attributes: { id: { type: "string", computed: true, description: "Id." }, ...attributes(of, rules.replace?.[name] ?? []) },
      },
    })),
    rules,
  );

/** The same of schemas of our own framework: what the kit's resources look like, without what they do. */
export function standIn(types: readonly { readonly name: string; readonly schema: Schema }[], rules: VendorRules = {}): StandIn {
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

  const resource = (name: string, schema: Schema): Resource => {
    // an object that is adopted has nothing but its id
    const keyOf = (object: ObjectValue | null, { key }: Readonly<Record<string, unknown>>): string =>
      String(key ?? `${name} ${String(object?.id)}`);
    const known = rules.plan?.[name] ?? ((planned: ObjectValue) => planned);
    return {
      name,
      schema,
      async plan({ prior, proposed, config }) {
        if (proposed === null) return { planned: null };
        return { planned: known(prior === null ? proposed : kept(proposed, prior, config ?? {})) };
      },
      async create({ planned }) {
        next += 1;
        const id = rules.named?.includes(name)
          ? String(planned.name)
          : `${name.replace(/^[a-z0-9]+_/, "").replaceAll("_", "-")}-${String(next).padStart(4, "0")}`;
        const object = settledObject(schema.attributes, planned, id);
        const why = taken(name, object);
        if (why !== null) return wrong(null, "Taken", `${name}: ${why} is in use`);
        const key = `${name} ${id}`;
        objects.set(key, { type: name, object });
        rules.seen?.(`create ${name}`, object);
        return { state: object, private: { key } };
      },
      async read({ state, private: held }) {
        return { state: objects.get(keyOf(state, held))?.object ?? null, private: held };
      },
      async update({ prior, planned, private: held }) {
        const made = objects.get(keyOf(prior, held));
        if (made === undefined) return wrong(prior, "Gone", `${keyOf(prior, held)} is not there`);
        made.object = settledObject(schema.attributes, planned, String(made.object.id));
        rules.seen?.(`update ${name}`, made.object);
        return { state: made.object, private: held };
      },
      async delete({ prior, private: held }) {
        const own = keyOf(prior, held);
        const names = [prior.id, prior.arn].filter((part): part is string => typeof part === "string");
        const user = [...objects].find(([key, made]) => key !== own && usedBy(made.object).some((text) => names.includes(text)));
        if (user) return wrong(prior, "In use", `${own} is used by ${user[0]}`);
        objects.delete(own);
        rules.seen?.(`delete ${name}`, prior);
        return { state: null };
      },
    };
  };

  const option: Attribute = { type: "string", optional: true, description: "As the vendor says." };
  return {
    provider: {
      version: "0.0.0",
      schema: { version: 0, description: "As the vendor says.", attributes: { region: option } },
      resources: types.map(({ name, schema }) => resource(name, schema)),
      dataSources: [],
      ephemeralResources: [],
    },
    world: {
      objects,
      vanish(key) {
        objects.delete(key);
      },
      drift(key, to) {
        const made = objects.get(key);
        if (made === undefined) throw new Error(`no ${key}`);
        made.object = { ...made.object, ...to };
      },
    },
  };
}
