// .terraform.lock.hcl and the CLI configuration, as much of HCL as these two are written in: blocks, strings, lists, comments.

export interface LockedProvider {
  /** "registry.terraform.io/terraform-provider-openstack/openstack" */
  readonly address: string;
  readonly version: string;
  /** "h1:…" of the unpacked package, "zh:…" of its archive. */
  readonly hashes: readonly string[];
}

export class HclError extends Error {}

type Token = string;
interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly blocks: readonly HclBlock[];
}

const tokenPattern = /\s+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.-]*|\d[\w.]*|[{}[\]=,]/y;

function tokens(text: string): readonly Token[] {
  const out: Token[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < text.length) {
    const at = tokenPattern.lastIndex;
    const found = tokenPattern.exec(text)?.[0];
    if (found === undefined) throw new HclError(`unexpected text in line ${text.slice(0, at).split("\n").length}`);
    if (!/^(\s|#|\/\/|\/\*)/.test(found)) out.push(found);
  }
  return out;
}

const isText = (token: Token | undefined): token is Token => token?.startsWith('"') ?? false;
const textOf = (token: Token): string => (isText(token) ? (JSON.parse(token) as string) : token);

class Reader {
  private at = 0;
  constructor(private readonly all: readonly Token[]) {}

  body(end: "}" | undefined): Omit<HclBlock, "type" | "labels"> {
    const attributes: Record<string, string | readonly string[]> = Object.create(null);
    const blocks: HclBlock[] = [];
    while (this.all[this.at] !== end) {
      const name = textOf(this.next());
      if (this.all[this.at] === "=") {
        this.at += 1;
        if (this.all[this.at] === "{") blocks.push(this.block(name));
        else attributes[name] = this.value();
        if (this.all[this.at] === ",") this.at += 1;
      } else blocks.push(this.block(name));
    }
    this.at += 1;
    return { attributes, blocks };
  }

  private block(type: string): HclBlock {
    const labels: string[] = [];
    while (this.all[this.at] !== "{") labels.push(textOf(this.next()));
    this.at += 1;
    return { type, labels, ...this.body("}") };
  }

  private value(): string | readonly string[] {
    const first = this.next();
    if (first !== "[") return textOf(first);
    const items: string[] = [];
    while (this.all[this.at] !== "]") {
      if (this.all[this.at] === ",") this.at += 1;
      else items.push(textOf(this.next()));
    }
    this.at += 1;
    return items;
  }

  private next(): Token {
    const token = this.all[this.at];
    if (token === undefined) throw new HclError("the file ends in the middle of a block");
    this.at += 1;
    return token;
  }
}

const parse = (text: string): Omit<HclBlock, "type" | "labels"> => new Reader(tokens(text)).body(undefined);

/** Throws `HclError` on what is no lock file. */
export function lockedProviders(text: string): readonly LockedProvider[] {
  return parse(text)
    .blocks.filter((block) => block.type === "provider" && block.labels.length === 1)
    .map(({ labels, attributes }) => ({
      address: labels[0] ?? "",
      version: typeof attributes.version === "string" ? attributes.version : "",
      hashes: Array.isArray(attributes.hashes) ? (attributes.hashes as readonly string[]) : [],
    }));
}

/** "HOST/NAMESPACE/TYPE" or "NAMESPACE/TYPE" -> folder, from `provider_installation { dev_overrides { … } }`. */
export function devOverrides(text: string): ReadonlyMap<string, string> {
  const overrides = parse(text)
    .blocks.filter((block) => block.type === "provider_installation")
    .flatMap((block) => block.blocks.filter((inner) => inner.type === "dev_overrides"))
    .flatMap((block) => Object.entries(block.attributes));
  return new Map(overrides.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}
