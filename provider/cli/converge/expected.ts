// Which destroys a roll is made of. A machine is known by what it is made from and not by its type, so that the database
// beside it, which some clouds call an instance too, is never taken for one.
import type { ResourceChange } from "./plan-view.js";

interface ConfiguredResource {
  readonly address: string;
  readonly mode?: string;
  readonly type: string;
  readonly expressions?: unknown;
}
interface ConfiguredModule {
  readonly resources?: readonly ConfiguredResource[];
  readonly module_calls?: Readonly<Record<string, { readonly module?: ConfiguredModule }>>;
}
export interface PlanConfiguration {
  readonly root_module?: ConfiguredModule;
}

/** Addresses of the configuration, without instance keys. */
export interface ExpectedRolls {
  readonly machines: ReadonlySet<string>;
  readonly attachments: ReadonlySet<string>;
}

const own = new Set(["honest_boot", "honest_node", "honest_local_machine"]);
/** What clouds call a thing that ties a machine to a disk, a port, a network or a balancer. */
const tie = /attach|member|target|association|backend|server_network/;

/** Every address that an expression names, whatever it is nested in. */
function references(expression: unknown): readonly string[] {
  if (expression === null || typeof expression !== "object") return [];
  if (Array.isArray(expression)) return expression.flatMap(references);
  return Object.entries(expression).flatMap(([key, value]) =>
    key === "references" && Array.isArray(value) ? value.filter((r): r is string => typeof r === "string") : references(value),
  );
}

export function expectedRolls(configuration: PlanConfiguration | undefined): ExpectedRolls {
  const machines = new Set<string>();
  const attachments = new Set<string>();
  const walk = (module: ConfiguredModule, prefix: string): void => {
    const managed = (module.resources ?? []).filter((resource) => resource.mode === undefined || resource.mode === "managed");
    const named = managed.map((resource) => ({ ...resource, names: references(resource.expressions) }));
    const here = named
      .filter(
        ({ type, names }) => own.has(type) || (!type.startsWith("honest_") && names.some((r) => /^honest_boot\..*\.user_data$/.test(r))),
      )
      .map(({ address }) => address);
    for (const address of here) machines.add(prefix + address);
    for (const { address, type, names } of named) {
      const toMachine = names.some((name) =>
        here.some((machine) => name === machine || name.startsWith(`${machine}.`) || name.startsWith(`${machine}[`)),
      );
      if (tie.test(type) && toMachine) attachments.add(prefix + address);
    }
    for (const [name, { module: child }] of Object.entries(module.module_calls ?? {})) if (child) walk(child, `${prefix}module.${name}.`);
  };
  walk(configuration?.root_module ?? {}, "");
  return { machines, attachments };
}

export function isExpected(rolls: ExpectedRolls, { address, type }: Pick<ResourceChange, "address" | "type">): boolean {
  const configured = address.replace(/\[(?:"(?:[^"\\]|\\.)*"|\d+)\]/g, "");
  return own.has(type) || rolls.machines.has(configured) || rolls.attachments.has(configured);
}
