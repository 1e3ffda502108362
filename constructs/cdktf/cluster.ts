// A Kubernetes cluster made of a cloud's public blocks, each a resource of the plan.
import { Annotations, Aspects, type ITerraformDependable } from "cdktf";
import { Construct, Dependable } from "constructs";
import { build } from "../blueprint/build.js";
import { balancerId, networkId } from "../blueprint/network.js";
import { unhonoured } from "../iaas/honour.js";
import { clusterUrl, mapCluster } from "../iaas/map.js";
import type { Mapping } from "../iaas/mapping.js";
import { barrierName, pkiName } from "../iaas/own.js";
import { mappingOf } from "../iaas/registry.js";
import type { VendorResource } from "../iaas/resource.js";
import { fromCamel, inCamel } from "../spec/casing.js";
import type { ClusterSpec, NodeGroupProps, ClusterProps as SpecProps } from "../spec/gen/spec.js";
import { parse } from "../spec/parse.js";
import { wordProblem } from "../spec/problem.js";
import { warnings } from "../spec/warnings.js";
import { ControlPlaneElements } from "./control-plane.js";
import { DependencyAspect } from "./dependency-aspect.js";
import { DataElement, Element, type IProvider, ProviderElement } from "./element.js";
import { NodeGroup } from "./node-group.js";
import { clustersOf, Outputs } from "./outputs.js";
import { HonestProvider, providerIn } from "./provider.js";
import { renderArg, renderArgs } from "./render.js";
import { SpecError } from "./spec-error.js";
import { unresolved } from "./tokens.js";

export interface ClusterProps extends SpecProps {
  /**
   * Provider that makes the cluster, where a stack has several.
   * @default - the stack's provider "honest"; made when there is none
   */
  readonly provider?: IProvider | undefined;
  /**
   * The cloud's own provider, where a stack has several.
   * @default - the stack's provider of that type without an alias; made when there is none
   */
  readonly cloudProvider?: IProvider | undefined;
}

/** A cluster, whether it was made here or is only known by its access. */
export interface ICluster extends ITerraformDependable {
  readonly clusterName: string;
  readonly clusterEndpoint: string;
}

export class Cluster extends Construct implements ICluster {
  readonly clusterName: string;
  /** URL of the Kubernetes API, for whoever runs Terraform; a reference where only the cloud knows the address. */
  readonly clusterEndpoint: string;

  private input: Readonly<Record<string, unknown>>;
  private readonly providers: { readonly kit: IProvider; readonly cloud: IProvider };
  private readonly elements = new Map<string, Element | DataElement>();
  private resources: ReadonlyMap<string, VendorResource> = new Map();
  private whole: ClusterSpec;

  constructor(scope: Construct, id: string, props: ClusterProps) {
    super(scope, id);
    const { provider, cloudProvider, ...spec } = props;
    this.input = { name: id, ...this.asInput(spec) };
    this.whole = this.parsed(this.input);
    const { name, access } = this.whole;
    const mapping = mappingOf(this.whole);
    this.clusterName = name;
    this.enroll(name);
    this.providers = this.providersOf(mapping, provider, cloudProvider);
    this.render();
    this.clusterEndpoint = String(
      renderArg(clusterUrl(this.whole, build(this.whole), mapping), (resource) => this.element(resource).address),
    );
    for (const problem of [...warnings(this.whole), ...(mapping.warn?.(this.whole) ?? [])])
      Annotations.of(this).addWarning(wordProblem(inCamel(problem)));
    Aspects.of(this).add(new DependencyAspect());
    // Who depends on the cluster depends on its hand-over, not on each block.
    Dependable.implement(this, { dependencyRoots: [this.element(barrierName)] });
    if (mapping.standIn !== undefined) return;
    new Outputs(this, "outputs", {
      cluster: name,
      endpoint: this.clusterEndpoint,
      serverName: access.server_name,
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

  /** One control plane by its letter ("a" to "e"): its resources, each open to `override`. */
  controlPlane(letter: string): ControlPlaneElements {
    const of = (part: string) => this.blockElement(`cp/${letter}/${part}`);
    return new ControlPlaneElements(of, () => this.resourcesOf(`cp/${letter}`));
  }

  /** Resources of a group's machines by their keys, "ZONE/ORDINAL". */
  machinesOf(group: string): ReadonlyMap<string, Element> {
    const machine = new RegExp(`^group/${group}/(.+)/machine$`);
    return new Map(
      this.made().flatMap(([name, element]) => {
        const key = machine.exec(name)?.[1];
        return key === undefined ? [] : [[key, element] as const];
      }),
    );
  }

  /** The resource that is the endpoint's balancer in the cloud. */
  get balancer(): Element {
    return this.blockElement(balancerId);
  }

  /** The resource that is the network in the cloud; an existing network is none of the cluster's. */
  get network(): Element {
    return this.blockElement(networkId);
  }

  /** All resources of the cluster whose names begin with a path ("cp/a", "endpoint", "firewall/etcd", "shared"), by name. */
  resourcesOf(path: string): ReadonlyMap<string, Element> {
    const inside = (name: string) => name === path || name.startsWith(`${path}/`) || name.startsWith(`${path}-`);
    return new Map(this.made().filter(([name]) => inside(name)));
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

  private made(): readonly (readonly [string, Element])[] {
    return [...this.elements].flatMap(([name, element]) => (element instanceof Element ? [[name, element] as const] : []));
  }

  private blockElement(name: string): Element {
    const found = this.elements.get(name);
    if (found instanceof Element) return found;
    const near = [...this.resourcesOf(name.split("/").slice(0, -1).join("/") || name).keys()];
    throw new TypeError(
      `the cluster ${this.clusterName} makes no resource ${name} on the cloud "${mappingOf(this.whole).name}"; there are: ${near.join(", ") || "none near it"}`,
    );
  }

  private providersOf({ provider: vendor }: Mapping, kit: IProvider | undefined, cloud: IProvider | undefined) {
    const own = () => kit ?? providerIn(this, "honest", (stack) => new HonestProvider(stack, "honest"));
    if (vendor === null) return { kit: own(), cloud: own() };
    const { type, source, version, args } = vendor;
    const made = () =>
      providerIn(this, type, (stack) => {
        const settings = renderArgs(args(this.whole), (resource) => this.element(resource).address);
        return new ProviderElement(stack, type, { type, source, version, args: settings });
      });
    // A preview has nothing of the kit's own: what is given as the provider is the one that it has.
    const preview = mappingOf(this.whole).standIn !== undefined;
    if (preview) {
      const only = kit ?? cloud ?? made();
      return { kit: only, cloud: only };
    }
    return { kit: own(), cloud: cloud ?? made() };
  }

  private place({ name, type, lifecycle, data }: VendorResource): Element | DataElement {
    const path = name.split("/");
    const now = () => this.resource(name);
    const [scope, id] = [this.folder(path.slice(0, -1)), path.at(-1) ?? name];
    const common = {
      type,
      args: () => renderArgs(now().args, (other) => this.element(other).address),
      dependsOn: () => (now().dependsOn ?? []).map((other) => this.element(other).address),
      provider: type.startsWith("honest_") ? this.providers.kit : this.providers.cloud,
    };
    if (data) return new DataElement(scope, id, common);
    return new Element(scope, id, {
      ...common,
      ...(lifecycle ? { lifecycle } : {}),
      replaceTriggeredBy: () =>
        (now().lifecycle?.replaceTriggeredBy ?? []).map(({ resource, attribute }) => `${this.element(resource).address}.${attribute}`),
      owned: (argument) => ownedBy(type, argument, mappingOf(this.whole)),
    });
  }

  private resource(name: string): VendorResource {
    const found = this.resources.get(name);
    if (!found) throw new TypeError(`the cluster ${this.clusterName} has no resource ${name}`);
    return found;
  }

  private element(name: string): Element | DataElement {
    const found = this.elements.get(name);
    if (!found) throw new TypeError(`the cluster ${this.clusterName} has no element ${name}`);
    return found;
  }
}

function ownedBy(type: string, argument: string, { machines }: Mapping): string | undefined {
  if (machines[type]?.boot.includes(argument))
    return "is part of the machine's release and comes from honest_boot, so that machines move one at a time: change it in the spec";
  return type.startsWith("honest_") && !type.startsWith("honest_local_")
    ? "is an argument of the kit's own resource, which the spec makes: change it in the spec"
    : undefined;
}
