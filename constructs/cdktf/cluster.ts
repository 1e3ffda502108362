// A Kubernetes cluster made of a cloud's public blocks, each a resource of the plan.
import { Aspects, type ITerraformDependable } from "cdktf";
import { Construct, Dependable } from "constructs";
import { build } from "../blueprint/build.js";
import { unhonoured } from "../iaas/honour.js";
import { mapCluster } from "../iaas/map.js";
import { barrierName, pkiName } from "../iaas/own.js";
import { mappingOf } from "../iaas/registry.js";
import type { VendorResource } from "../iaas/resource.js";
import { fromCamel } from "../spec/casing.js";
import type { ClusterSpec, NodeGroupProps, ClusterProps as SpecProps } from "../spec/gen/spec.js";
import { parse } from "../spec/parse.js";
import { DependencyAspect } from "./dependency-aspect.js";
import { Element, type IProvider, nullProviderConfig, ProviderElement } from "./element.js";
import { NodeGroup } from "./node-group.js";
import { clustersOf, Outputs } from "./outputs.js";
import { HonestProvider, providerIn } from "./provider.js";
import { renderArgs } from "./render.js";
import { SpecError } from "./spec-error.js";
import { unresolved } from "./tokens.js";

export interface ClusterProps extends SpecProps {
  /**
   * Provider that makes the cluster, where a stack has several.
   * @default - the stack's provider "honest"; made when there is none
   */
  readonly provider?: IProvider | undefined;
}

/** A cluster, whether it was made here or is only known by its access. */
export interface ICluster extends ITerraformDependable {
  readonly clusterName: string;
  readonly clusterEndpoint: string;
}

export class Cluster extends Construct implements ICluster {
  readonly clusterName: string;
  /** URL of the Kubernetes API, for whoever runs Terraform. */
  readonly clusterEndpoint: string;

  private input: Readonly<Record<string, unknown>>;
  private readonly provider: IProvider;
  private readonly elements = new Map<string, Element>();
  private resources: ReadonlyMap<string, VendorResource> = new Map();
  private whole: ClusterSpec;

  constructor(scope: Construct, id: string, props: ClusterProps) {
    super(scope, id);
    const { provider, ...spec } = props;
    this.input = { name: id, ...this.asInput(spec) };
    this.whole = this.parsed(this.input);
    const { name, access, iaas } = this.whole;
    this.clusterName = name;
    this.clusterEndpoint = access.endpoint;
    this.enroll(name);
    this.provider = provider ?? defaultProvider(this, iaas.preview !== null);
    this.render();
    Aspects.of(this).add(new DependencyAspect());
    // Who depends on the cluster depends on its hand-over, not on each block.
    Dependable.implement(this, { dependencyRoots: [this.element(barrierName)] });
    if (iaas.preview !== null) return;
    new Outputs(this, "outputs", {
      cluster: name,
      endpoint: access.endpoint,
      addressOf: (resource) => this.element(resource).address,
      boots: () => [...this.resources.values()].filter((r) => r.type === "honest_boot").map((r) => r.name),
    });
  }

  /** The whole spec, every default filled in. */
  get spec(): ClusterSpec {
    return this.whole;
  }

  /** Address of the resource that hands the cluster over: `dependsOn: [cluster]` waits until nodes are Ready. */
  get fqn(): string {
    return this.element(barrierName).fqn;
  }

  /** PEM certificates that the API's certificate is checked against. */
  get clusterCaBundle(): string {
    return this.element(pkiName).getStringAttribute("ca_bundle");
  }

  /** Adds a group of workers. Taking the call away takes the group's machines away, after a drain. */
  addNodeGroup(name: string, props: NodeGroupProps): NodeGroup {
    const groups = (this.input.node_groups ?? {}) as Readonly<Record<string, unknown>>;
    if (Object.hasOwn(groups, name))
      throw new SpecError(this.node.path, [
        { code: "name.duplicate", path: ["node_groups", name], message: "is there already", got: name, fix: "use another name" },
      ]);
    const { node_groups: own } = this.asInput({ nodeGroups: { [name]: props } });
    const input = { ...this.input, node_groups: { ...groups, ...(own as object) } };
    this.whole = this.parsed(input);
    this.input = input;
    this.render();
    return this.group(name);
  }

  private asInput(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const unknown = unresolved(spec);
    if (unknown.length) throw new SpecError(this.node.path, unknown);
    return fromCamel(spec) as Readonly<Record<string, unknown>>;
  }

  private parsed(input: unknown): ClusterSpec {
    const { spec, problems } = parse(input);
    const all = problems ?? unhonoured(spec, mappingOf(spec));
    if (spec === undefined || all.length) throw new SpecError(this.node.path, all);
    return spec;
  }

  private enroll(name: string): void {
    const known = clustersOf(this);
    if (known.includes(name))
      throw new SpecError(this.node.path, [
        {
          code: "name.duplicate",
          path: ["name"],
          message: "is the name of another cluster of the stack",
          got: name,
          fix: "use another name",
        },
      ]);
    known.push(name);
  }

  /** Elements are added, never changed: what they say is asked for at synth. */
  private render(): void {
    const resources = mapCluster(this.whole, build(this.whole), mappingOf(this.whole));
    this.resources = new Map(resources.map((resource) => [resource.name, resource]));
    for (const name of Object.keys(this.whole.node_groups)) this.group(name);
    for (const resource of resources) if (!this.elements.has(resource.name)) this.elements.set(resource.name, this.place(resource));
  }

  private group(name: string): NodeGroup {
    const groups = this.folder(["group"]);
    return (groups.node.tryFindChild(name) as NodeGroup | undefined) ?? new NodeGroup(groups, name);
  }

  private folder(path: readonly string[]): Construct {
    return path.reduce((at: Construct, id) => (at.node.tryFindChild(id) as Construct | undefined) ?? new Construct(at, id), this);
  }

  private place({ name, type, lifecycle }: VendorResource): Element {
    const path = name.split("/");
    const now = () => this.resource(name);
    return new Element(this.folder(path.slice(0, -1)), path.at(-1) ?? name, {
      type,
      args: () => renderArgs(now().args, (other) => this.element(other).address),
      dependsOn: () => (now().dependsOn ?? []).map((other) => this.element(other).address),
      ...(lifecycle ? { lifecycle } : {}),
      provider: this.provider,
    });
  }

  private resource(name: string): VendorResource {
    const found = this.resources.get(name);
    if (!found) throw new TypeError(`the cluster ${this.clusterName} has no resource ${name}`);
    return found;
  }

  private element(name: string): Element {
    const found = this.elements.get(name);
    if (!found) throw new TypeError(`the cluster ${this.clusterName} has no element ${name}`);
    return found;
  }
}

const defaultProvider = (scope: Construct, preview: boolean): IProvider =>
  preview
    ? providerIn(scope, "null", (stack) => new ProviderElement(stack, "null", nullProviderConfig))
    : providerIn(scope, "honest", (stack) => new HonestProvider(stack, "honest"));
