// The dependency graph of a synthesized stack, read from its JSON alone, as terraform reads it.

export interface StackJson {
  readonly resource?: Readonly<Record<string, Readonly<Record<string, ResourceJson>>>>;
  readonly output?: Readonly<Record<string, { readonly value: unknown; readonly sensitive?: boolean }>>;
  readonly provider?: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  readonly terraform?: { readonly required_providers?: Readonly<Record<string, { readonly source: string; readonly version: string }>> };
}

export interface ResourceJson {
  readonly depends_on?: readonly string[];
  readonly lifecycle?: { readonly create_before_destroy?: boolean; readonly prevent_destroy?: boolean };
  readonly [argument: string]: unknown;
}

export interface Graph {
  readonly nodes: ReadonlyMap<string, ResourceJson>;
  /** Addresses that a resource names itself. */
  readonly direct: (address: string) => ReadonlySet<string>;
  /** Through others as well. */
  readonly all: (address: string) => ReadonlySet<string>;
}

const reference = /\b([a-z][a-z0-9]*_[a-z0-9_]+\.[A-Za-z0-9_-]+)/g;

function references(value: unknown): readonly string[] {
  if (typeof value === "string")
    return [...value.matchAll(/(?<![$])\$\{([^}]*)\}/g)].flatMap(([, expression = ""]) =>
      [...expression.matchAll(reference)].flatMap(([, address]) => address ?? []),
    );
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(references);
}

export function graphOf(stack: StackJson): Graph {
  const nodes = new Map<string, ResourceJson>();
  for (const [type, named] of Object.entries(stack.resource ?? {}))
    for (const [name, resource] of Object.entries(named)) nodes.set(`${type}.${name}`, resource);
  const direct = (address: string): ReadonlySet<string> => {
    const { depends_on = [], ...args } = nodes.get(address) ?? {};
    return new Set([...depends_on, ...references(args)]);
  };
  const all = (address: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const visit = (at: string): void => {
      for (const next of direct(at)) {
        if (seen.has(next)) continue;
        seen.add(next);
        visit(next);
      }
    };
    visit(address);
    return seen;
  };
  return { nodes, direct, all };
}
