// The thin elements: a resource and a provider that take their arguments as data. With generator metadata, so that CDKTF
// itself checks that every resource has its provider.
import { TerraformDataSource, TerraformProvider, TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { providerSource, version } from "./package.js";

export interface ElementConfig {
  readonly type: string;
  /** Asked for at synth, so that what is added later is in it. snake_case, as the provider's docs have it. */
  readonly args: () => Readonly<Record<string, unknown>>;
  /** Addresses, asked for at synth. */
  readonly dependsOn: () => readonly string[];
  readonly lifecycle?: {
    readonly createBeforeDestroy?: boolean;
    readonly preventDestroy?: boolean;
    readonly ignoreChanges?: readonly string[];
  };
  /** Expressions, asked for at synth. */
  readonly replaceTriggeredBy?: () => readonly string[];
  readonly provider?: IProvider | undefined;
  /** Why an argument is not to be overridden; undefined when it may be. */
  readonly owned?: (argument: string) => string | undefined;
}

/** A provider's place in the configuration. An interface, since the classes of two installed copies are no friends. */
export interface IProvider {
  readonly fqn: string;
}

/** A resource of a cluster: reachable by the cluster's accessors, with every argument of its vendor open to `override`. */
export class Element extends TerraformResource {
  constructor(
    scope: Construct,
    id: string,
    private readonly config: ElementConfig,
  ) {
    const { createBeforeDestroy, preventDestroy, ignoreChanges } = config.lifecycle ?? {};
    const lifecycle = {
      ...(createBeforeDestroy ? { createBeforeDestroy } : {}),
      ...(preventDestroy ? { preventDestroy } : {}),
      ...(ignoreChanges?.length ? { ignoreChanges: [...ignoreChanges] } : {}),
    };
    super(scope, id, {
      terraformResourceType: config.type,
      terraformGeneratorMetadata: { providerName: config.type.split("_")[0] ?? config.type },
      ...(Object.keys(lifecycle).length ? { lifecycle } : {}),
      ...(config.provider ? { provider: config.provider as TerraformProvider } : {}),
    });
  }

  /**
   * Sets an argument as the vendor's docs name it, in place of what the kit gives; a path goes into nested ones
   * ("root_block_device.0.encrypted"). What the machines' releases are made of is refused: it would restart machines out of
   * turn. Returns the element.
   */
  override(path: string, value: unknown): this {
    const [argument = ""] = path.split(".");
    const why = this.config.owned?.(argument);
    if (why !== undefined) throw new TypeError(`${this.node.path}: ${argument} ${why}`);
    this.addOverride(path, value);
    return this;
  }

  /** "honest_pki.demo_pki_1A2B3C4D" */
  get address(): string {
    return `${this.terraformResourceType}.${this.friendlyUniqueId}`;
  }

  override get terraformMetaArguments(): Record<string, unknown> {
    const all = [...new Set([...this.config.dependsOn(), ...(this.dependsOn ?? [])])];
    const meta = super.terraformMetaArguments;
    const triggers = this.config.replaceTriggeredBy?.() ?? [];
    const lifecycle = triggers.length ? { lifecycle: { ...meta.lifecycle, replaceTriggeredBy: triggers } } : {};
    return { ...meta, ...lifecycle, dependsOn: all.length ? all : undefined };
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { ...this.config.args() };
  }
}

/** What a cloud is asked for: a network by its name. */
export class DataElement extends TerraformDataSource {
  constructor(
    scope: Construct,
    id: string,
    private readonly config: Pick<ElementConfig, "type" | "args" | "dependsOn" | "provider">,
  ) {
    super(scope, id, {
      terraformResourceType: config.type,
      terraformGeneratorMetadata: { providerName: config.type.split("_")[0] ?? config.type },
      ...(config.provider ? { provider: config.provider as TerraformProvider } : {}),
    });
  }

  /** "data.openstack_networking_network_v2.demo_external_1A2B3C4D" */
  get address(): string {
    return `data.${this.terraformResourceType}.${this.friendlyUniqueId}`;
  }

  override get terraformMetaArguments(): Record<string, unknown> {
    const all = [...new Set([...this.config.dependsOn(), ...(this.dependsOn ?? [])])];
    return { ...super.terraformMetaArguments, dependsOn: all.length ? all : undefined };
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { ...this.config.args() };
  }
}

export interface ProviderElementConfig {
  readonly type: string;
  readonly source: string;
  readonly version: string;
  readonly alias?: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;
}

export class ProviderElement extends TerraformProvider {
  private readonly aliasName: string | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly config: ProviderElementConfig,
  ) {
    super(scope, id, {
      terraformResourceType: config.type,
      terraformGeneratorMetadata: { providerName: config.type, providerVersion: config.version },
      terraformProviderSource: config.source,
    });
    this.aliasName = config.alias;
  }

  /** The base class's accessor is always undefined; resources would then get the provider without an alias. */
  override get alias(): string | undefined {
    return this.aliasName;
  }
  override set alias(_: string | undefined) {
    throw new Error("the alias of a provider is given to its constructor");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { ...this.config.args };
  }
}

export const honestProviderConfig = (args: Readonly<Record<string, unknown>>, alias?: string): ProviderElementConfig => ({
  type: "honest",
  source: providerSource,
  version,
  alias,
  args,
});
