// The endpoint: a balancer that has its fixed address in the network and finds control planes by their labels. Targets by
// address are for dedicated servers only, and a target by server would tie the balancer to machines that come and go.
import type { BalancerBlock } from "../../blueprint/block.js";
import type { Context } from "../mapping.js";
import { ref, type VendorResource } from "../resource.js";
import { fixedSubnet } from "./network.js";
import { apiAtControlPlanes, clusterLabel, labels, roleLabel, settings } from "./settings.js";

/** Out after one miss: a control plane that retires says so at /readyz and serves on for five seconds, no longer. */
const check = { interval: 3, timeout: 2, retries: 1 } as const;

export function balancerResources(block: BalancerBlock, context: Context): readonly VendorResource[] {
  const { spec, blueprint } = context;
  const { balancer_type, network_zone } = settings(spec);
  const load_balancer_id = ref(block.id, "id");
  const attachment = `${block.id}-network`;
  return [
    {
      type: "hcloud_load_balancer",
      name: block.id,
      // in a zone, not in a location: a location would be one of the control planes', and replace the balancer with it
      args: {
        name: block.name,
        load_balancer_type: balancer_type,
        network_zone,
        labels: labels(spec),
        delete_protection: blueprint.protected,
      },
      lifecycle: { preventDestroy: blueprint.protected },
    },
    {
      type: "hcloud_load_balancer_network",
      name: attachment,
      args: {
        load_balancer_id,
        subnet_id: fixedSubnet(block.subnet, context),
        ip: block.address,
        enable_public_interface: block.publicAddresses.length > 0 && !apiAtControlPlanes(spec),
      },
    },
    {
      type: "hcloud_load_balancer_service",
      name: `${block.id}-service`,
      args: {
        load_balancer_id,
        protocol: "tcp",
        listen_port: block.port,
        destination_port: block.port,
        health_check: [{ protocol: "http", port: block.port, ...check, http: [{ path: "/readyz", tls: true, status_codes: ["200"] }] }],
      },
    },
    {
      type: "hcloud_load_balancer_target",
      name: `${block.id}-target`,
      args: {
        load_balancer_id,
        type: "label_selector",
        label_selector: `${clusterLabel}=${spec.name},${roleLabel}=control-plane`,
        use_private_ip: true,
      },
      // private addresses are only for a balancer that is in the network
      dependsOn: [attachment],
    },
  ];
}
