// A whole synthesized cluster on a real OpenStack API, made by the vendor's real provider under a real terraform. What runs
// on the machines stands in (test/support/openstack/agents.ts), since no machine boots there: what pace and gate ask about
// the cluster's health is answered by the test.

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import type { ClusterProps, NodeGroupProps } from "../../../constructs/spec/gen/spec.js";
import { loadProvider } from "../../../provider/provider.js";
import { type Agents, followServers } from "../../support/openstack/agents.js";
import { administrator, type Credentials, type Item, type OpenStack, signIn } from "../../support/openstack/api.js";
import { type Lab, startLab } from "../../support/openstack/lab.js";
import { mirrorConfig, openStackProvider } from "../../support/openstack/provider.js";
import { synth } from "../../support/synth.js";
import { type PlanJson, type RunResult, type Workspace, workspace } from "../../support/terraform.js";

export interface Wanted {
  readonly zones?: readonly string[];
  readonly controlPlaneType?: string;
  readonly groups?: Readonly<Record<string, NodeGroupProps>>;
  readonly externalNetwork?: string;
  readonly props?: Partial<ClusterProps>;
  /** How long a gate waits, and a machine that does not come is waited for. */
  readonly wait?: string;
}

export interface Stage {
  readonly w: Workspace;
  readonly lab: Lab;
  readonly agents: Agents;
  readonly member: OpenStack;
  readonly admin: OpenStack;
  /** Id of the lab's image. */
  readonly image: string;
  /** Synthesizes and writes the stack; what is left out is as at first. */
  want(wanted?: Wanted): void;
  plan(args?: readonly string[]): Promise<Planned>;
  /** Applies until there is nothing to do; how many applies did something. */
  toTheEnd(): Promise<number>;
  servers(): Promise<readonly Server[]>;
  server(name: string): Promise<Server>;
  /** Address of the only resource of that type whose name has that part. */
  address(type: string, part: string): Promise<string>;
  id(type: string, part: string): Promise<string>;
  close(): Promise<void>;
}

export interface Planned {
  readonly exitCode: number;
  readonly text: string;
  /** "delete,create" by address, without what stays and without data that is read. */
  readonly changes: Readonly<Record<string, string>>;
}

export interface Server extends Item {
  readonly status: string;
  readonly flavor: { readonly original_name: string };
  readonly "OS-EXT-AZ:availability_zone": string;
}

export const cluster = "demo";

/** With a first stack written and initialized. */
export async function openStage(first: Wanted = {}): Promise<Stage> {
  const lab = await startLab();
  const vendor = await openStackProvider();
  if (vendor.missing !== null) throw new Error(vendor.missing);
  const credentials = lab.environment as unknown as Credentials;
  const [member, admin] = await Promise.all([signIn(credentials), signIn(administrator(credentials))]);
  await lab.clean();
  const port = await freePort();
  const [found] = await member.list("image", "/images?name=debian", "images");
  if (!found) throw new Error("the lab has no image");
  const agents = followServers(admin, member.projectId, port);
  const w = await workspace({ provider: await loadProvider(), cliConfig: mirrorConfig(vendor.mirror), env: lab.environment });
  const image = found.id;
  const list = async (): Promise<readonly Server[]> => (await member.list("compute", "/servers/detail", "servers")) as readonly Server[];
  const one = async (type: string, part: string) => {
    const all = (await w.resources()).filter((resource) => resource.type === type && resource.address.includes(part));
    const [first] = all;
    if (!first || all.length > 1) throw new Error(`${all.length} of ${type} with ${part} in the state`);
    return first;
  };
  const stage: Stage = {
    w,
    lab,
    agents,
    member,
    admin,
    image,
    want({ zones = lab.zones, controlPlaneType = "m1.small", groups = {}, externalNetwork = "public", props = {}, wait = "90s" } = {}) {
      const complete = (group: NodeGroupProps): NodeGroupProps => ({ image, instanceTypes: ["m1.small"], zones: ["a", "b"], ...group });
      const json = synth(
        "openstack",
        {
          iaas: { openstack: { externalNetwork } },
          access: { endpoint: `https://127.0.0.1:${port}` },
          vpcConfig: { cidr: "10.98.0.0/24", egress: "nat", publicAccessCidrs: ["192.0.2.0/24"] },
          controlPlane: { replicas: 3, zones: [...zones], instanceType: controlPlaneType, image, etcdVolume: { sizeGib: 4 } },
          tags: { owner: "acceptance" },
          deletionProtection: false,
          ...props,
        },
        Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, complete(group)])),
      ) as unknown as Record<string, Record<string, Record<string, Record<string, unknown>>>>;
      for (const type of ["honest_node", "honest_barrier"])
        for (const resource of Object.values(json.resource?.[type] ?? {})) resource.timeouts = { create: wait, update: wait, delete: wait };
      w.write({ "cdk.tf.json": json });
    },
    async plan(args = []) {
      const { exitCode, text, json } = await w.plan(args);
      return { exitCode, text: text.replace(/\s+/g, " "), changes: changes(json) };
    },
    async toTheEnd() {
      for (let n = 0; n <= 6; n += 1) if (isNothing(await w.apply())) return n;
      throw new Error("the plan is not empty after 6 applies");
    },
    servers: list,
    async server(name) {
      const [found] = (await list()).filter((server) => server.name === name);
      if (!found) throw new Error(`no server ${name}`);
      return found;
    },
    address: async (type, part) => (await one(type, part)).address,
    id: async (type, part) => String((await one(type, part)).values.id),
    async close() {
      await w.close();
      await agents.close();
    },
  };
  stage.want(first);
  await w.init();
  return stage;
}

const isNothing = ({ stdout }: RunResult): boolean => /Apply complete! Resources: 0 added, 0 changed, 0 destroyed/.test(stdout);

const changes = ({ resource_changes = [] }: PlanJson): Readonly<Record<string, string>> =>
  Object.fromEntries(
    resource_changes
      .map(({ address, change }) => [address, change.actions.join()] as const)
      .filter(([, actions]) => actions !== "no-op" && actions !== "read"),
  );

/** What a run said, in one line. */
export const words = ({ stdout, stderr }: RunResult): string => (stdout + stderr).replace(/[│╷╵]/g, " ").replace(/\s+/g, " ");

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const probe = createServer();
    probe.on("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => done(port));
    });
  });
