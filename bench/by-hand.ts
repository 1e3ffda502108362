// A stack that the constructs made → the program that a person would have written for the same resources, on CDKTF's own
// TerraformResource: a line for each resource, whatever differs between clusters as `name`. What it makes is compared with
// the constructs' before anything is measured.

/** How the program refers to another resource: as text, which costs nothing, or by CDKTF's `fqn`, as people do. */
export type References = "text" | "fqn";

type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

export interface StackJson {
  readonly resource: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly output: Readonly<Record<string, { readonly value: Json; readonly description: string; readonly sensitive?: boolean }>>;
}

interface Line {
  readonly type: string;
  readonly address: string;
  readonly json: JsonObject;
  /** Its variable, and its id: directly below a stack an id is an address's name. */
  readonly id: string;
}

const linesOf = ({ resource }: StackJson): readonly Line[] =>
  inOrder(
    Object.entries(resource).flatMap(([type, of]) =>
      Object.entries(of).map(([id, json]) => ({ type, json, address: `${type}.${id}`, id: "" })),
    ),
  ).map((line, n) => ({ ...line, id: `r${n}` }));

/** Whoever is referred to comes first. */
function inOrder(lines: readonly Line[]): readonly Line[] {
  const placed: Line[] = [];
  const place = (line: Line, path: readonly Line[]): void => {
    if (placed.includes(line)) return;
    if (path.includes(line)) throw new Error(`resources refer to each other in a circle at ${line.address}`);
    const text = JSON.stringify(line.json);
    for (const other of lines) if (other !== line && mentions(text, other.address)) place(other, [...path, line]);
    placed.push(line);
  };
  for (const line of lines) place(line, []);
  return placed;
}

const mentions = (text: string, address: string): boolean =>
  new RegExp(`(?<![\\w.-])${address.replaceAll(".", "\\.")}(?![\\w-])`).test(text);

/** The stack's JSON with the addresses that the program gives. */
export function renamed(stack: StackJson): StackJson["resource"] {
  const lines = linesOf(stack);
  const text = (json: JsonObject): string =>
    lines.reduce((said, { type, address, id }) => said.replaceAll(address, `${type}.${id}`), JSON.stringify(json));
  const types = [...new Set(lines.map((line) => line.type))];
  return Object.fromEntries(
    types.map((type) => [
      type,
      Object.fromEntries(lines.filter((line) => line.type === type).map((line) => [line.id, JSON.parse(text(line.json)) as JsonObject])),
    ]),
  );
}

/** JavaScript with one function, `byHand(stack, name)`. `cluster` is the name of the cluster in `stack`. */
export function program(stack: StackJson, cluster: string, references: References): string {
  const lines = linesOf(stack);
  const literal = literals(lines, cluster, references);
  const resources = lines.map(({ id, type, json: { depends_on = [], lifecycle = {}, provider: _, ...args } }) => {
    const config = [
      ...((depends_on as readonly string[]).length ? [`dependsOn: [${dependsOn(lines, depends_on as readonly string[])}]`] : []),
      ...(Object.keys(lifecycle as JsonObject).length ? [`lifecycle: ${JSON.stringify(inCamel(lifecycle as JsonObject))}`] : []),
    ];
    return `  const ${id} = new Resource(stack, "${id}", "${type}", ${literal(args)}, { ${config.join(", ")} });`;
  });
  const outputs = Object.entries(stack.output).map(
    ([id, { value, description, sensitive = false }]) =>
      `  new TerraformOutput(stack, "${id}", { value: ${literal(value)}, description: ${JSON.stringify(description)}, sensitive: ${sensitive} });`,
  );
  return `import { TerraformOutput, TerraformResource } from "cdktf";

class Resource extends TerraformResource {
  constructor(scope, id, type, args, config) {
    super(scope, id, { terraformResourceType: type, terraformGeneratorMetadata: { providerName: "honest" }, ...config });
    this.args = args;
  }
  synthesizeAttributes() {
    return this.args;
  }
}

export function byHand(stack, name) {
${[...resources, ...outputs].join("\n")}
}
`;
}

function dependsOn(lines: readonly Line[], addresses: readonly string[]): string {
  return addresses.map((address) => lines.find((line) => line.address === address)?.id).join(", ");
}

const inCamel = (json: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), value]),
  );

function literals(lines: readonly Line[], cluster: string, references: References): (value: Json) => string {
  const [begin, end] = ["\u0001", "\u0002"];
  const text = (value: string): string => {
    const marked = lines.reduce(
      (said, { type, address, id }) => said.replaceAll(address, references === "fqn" ? `${begin}${id}.fqn${end}` : `${type}.${id}`),
      value.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${"),
    );
    return `\`${marked.replaceAll(cluster, `${begin}name${end}`).replaceAll(begin, "${").replaceAll(end, "}")}\``;
  };
  const literal = (value: Json): string => {
    if (typeof value === "string") return text(value);
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
    return `{ ${Object.entries(value)
      .map(([key, item]) => `[${text(key)}]: ${literal(item)}`)
      .join(", ")} }`;
  };
  return literal;
}
