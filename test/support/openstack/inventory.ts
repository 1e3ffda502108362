// Everything that a project has in the cloud, API by API, and what the administrator sees of it: what a destroy must have
// taken away.
import type { OpenStack } from "./api.js";

/** Kind to the names (or ids) of what there is; kinds with nothing are left out. */
export type Inventory = Readonly<Record<string, readonly string[]>>;

export async function inventory(member: OpenStack, admin: OpenStack): Promise<Inventory> {
  const mine = `project_id=${member.projectId}`;
  const [lists, allocated] = await Promise.all([
    Promise.all([
      named(member, "compute", "/servers", "servers"),
      named(member, "compute", "/os-server-groups", "server_groups"),
      named(member, "compute", "/os-keypairs", "keypairs"),
      named(member, "volumev3", "/volumes", "volumes"),
      named(member, "volumev3", "/snapshots", "snapshots"),
      named(member, "network", `/networks?${mine}`, "networks"),
      named(member, "network", `/subnets?${mine}`, "subnets"),
      // as the administrator: a balancer's and a router's ports belong to services
      named(admin, "network", "/ports", "ports"),
      named(member, "network", `/routers?${mine}`, "routers"),
      named(member, "network", `/floatingips?${mine}`, "floatingips"),
      // the one that neutron gives every project, and that of the balancers belongs to a service
      named(admin, "network", "/security-groups", "security_groups", (one) => one.name === "default"),
      named(member, "load-balancer", "/lbaas/loadbalancers", "loadbalancers"),
      named(member, "load-balancer", "/lbaas/listeners", "listeners"),
      named(member, "load-balancer", "/lbaas/pools", "pools"),
      named(member, "load-balancer", "/lbaas/healthmonitors", "healthmonitors"),
      named(admin, "load-balancer", "/octavia/amphorae", "amphorae", (one) => one.status === "DELETED"),
      named(member, "image", `/images?owner=${member.projectId}`, "images"),
    ]),
    allocations(admin),
  ]);
  return Object.fromEntries([...lists, ["allocations", allocated] as const].filter(([, found]) => found.length > 0));
}

async function named(
  cloud: OpenStack,
  service: Parameters<OpenStack["list"]>[0],
  path: string,
  key: string,
  except: (one: Readonly<Record<string, unknown>>) => boolean = () => false,
): Promise<readonly [string, readonly string[]]> {
  const found = await cloud.list(service, path, key);
  return [key, found.filter((one) => !except(one)).map((one) => one.name || one.id || JSON.stringify(one))];
}

/** What placement still counts against a hypervisor. */
async function allocations(admin: OpenStack): Promise<readonly string[]> {
  const { resource_providers } = await admin.get<{ resource_providers: readonly { uuid: string; name: string }[] }>(
    "placement",
    "/resource_providers",
  );
  const used = await Promise.all(
    resource_providers.map(async ({ uuid, name }) => {
      const { allocations: by } = await admin.get<{ allocations: Record<string, unknown> }>(
        "placement",
        `/resource_providers/${uuid}/allocations`,
      );
      return Object.keys(by).map((machine) => `${machine} on ${name}`);
    }),
  );
  return used.flat();
}
