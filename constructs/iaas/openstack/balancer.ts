// The endpoint: Octavia's load balancer at a fixed address, which passes TCP on and asks every API server whether it is ready.
import type { BalancerBlock } from "../../blueprint/block.js";
import type { Context, MapBlock } from "../mapping.js";
import { present, ref, type VendorResource } from "../resource.js";
import { wayOut } from "./network.js";
import { labels } from "./tags.js";

/** Octavia cuts a connection after 50 s without a byte; those that watch the API and those of `kubectl exec` are silent longer. */
const quietMs = 3_600_000;

export const mapBalancer: MapBlock<"balancer"> = (block, context) => {
  const { spec } = context;
  const [listener, pool] = [`${block.id}-listener`, `${block.id}-pool`];
  const tags = labels(spec);
  const balancer: VendorResource = {
    type: "openstack_lb_loadbalancer_v2",
    name: block.id,
    args: present({ name: block.name, vip_subnet_id: context.idOf(block.subnet), vip_address: block.address, tags }),
  };
  return [
    balancer,
    {
      type: "openstack_lb_listener_v2",
      name: listener,
      args: present({
        name: block.name,
        loadbalancer_id: ref(block.id, "id"),
        protocol: "TCP",
        protocol_port: block.port,
        allowed_cidrs: allowed(context),
        timeout_client_data: quietMs,
        timeout_member_data: quietMs,
        tags,
      }),
    },
    {
      type: "openstack_lb_pool_v2",
      name: pool,
      args: present({ name: block.name, listener_id: ref(listener, "id"), protocol: "TCP", lb_method: "LEAST_CONNECTIONS", tags }),
    },
    {
      type: "openstack_lb_monitor_v2",
      name: `${block.id}-monitor`,
      args: {
        name: block.name,
        pool_id: ref(pool, "id"),
        // an API server that is about to stop says so at /readyz while its port still answers
        type: "HTTPS",
        http_method: "GET",
        url_path: "/readyz",
        expected_codes: "200",
        delay: 5,
        timeout: 3,
        max_retries: 2,
        max_retries_down: 2,
      },
    },
    ...Object.entries(block.backends).map(([name, backend]): VendorResource => {
      const [address = "", port = ""] = backend.split(":");
      return {
        type: "openstack_lb_member_v2",
        name: `${block.id}-member/${name}`,
        args: present({
          name,
          pool_id: ref(pool, "id"),
          address,
          protocol_port: Number(port),
          subnet_id: context.idOf(block.subnet),
          tags,
        }),
      };
    }),
    ...block.publicAddresses.map((id): VendorResource => association(block, id, context)),
  ];
};

const association = (block: BalancerBlock, address: string, context: Context): VendorResource => ({
  type: "openstack_networking_floatingip_associate_v2",
  name: `${block.id}-public`,
  args: { floating_ip: context.idOf(address, "address"), port_id: ref(block.id, "vip_port_id") },
  // Neutron refuses a floating IP for an address that no router reaches
  dependsOn: wayOut(context),
});

/** Sorted: the order says nothing, and a change of it would be one. */
function allowed(context: Context) {
  const [subnet] = context.blocks("subnet");
  const rows = context.blocks("firewall").filter(({ to }) => to === "balancer");
  const cidrs = rows.flatMap(({ cidr, from }) => (cidr === null || from === "pods" ? [] : [cidr]));
  return [...new Set([...(subnet ? [subnet.cidr] : []), ...cidrs])].sort();
}
