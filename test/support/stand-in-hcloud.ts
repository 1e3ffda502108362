// Hetzner Cloud as far as a plan can tell: the provider's schema, what its source says forces another object, and what the
// API gives to one only.
import { type CloudBlock, type CloudSchema, cloudSchema } from "./cloud-schema.js";
import { type StandIn, standInVendor, type VendorRules } from "./stand-in-vendor.js";

const replace: NonNullable<VendorRules["replace"]> = {
  hcloud_network_subnet: ["network_id", "type", "network_zone", "ip_range"],
  hcloud_load_balancer: ["location", "network_zone"],
  hcloud_load_balancer_network: ["load_balancer_id", "network_id", "subnet_id", "ip"],
  hcloud_load_balancer_service: ["load_balancer_id", "protocol", "listen_port"],
  hcloud_load_balancer_target: ["load_balancer_id", "server_id", "label_selector", "ip"],
  hcloud_primary_ip: ["type", "location"],
  hcloud_server: ["image", "location", "user_data", "ssh_keys"],
  hcloud_volume: ["location"],
  hcloud_volume_attachment: ["volume_id", "server_id"],
};

const unique: NonNullable<VendorRules["unique"]> = {
  ...Object.fromEntries(
    ["firewall", "load_balancer", "network", "placement_group", "primary_ip", "server", "volume"].map((type) => [
      `hcloud_${type}`,
      [["name"]],
    ]),
  ),
  hcloud_volume_attachment: [["volume_id"]],
};

const isId = /(^|_)ids?$|^ipv[46]$/;

/** Ids are numbers there; the stand-in gives words, by which it knows who uses whom. */
function idsAsWords({ attributes, blocks }: CloudBlock): CloudBlock {
  const worded = Object.entries(attributes).map(([name, of]) => {
    if (!isId.test(name)) return [name, of] as const;
    return [
      name,
      { ...of, type: of.type === "number" ? "string" : Array.isArray(of.type) ? (["set", "string"] as const) : of.type },
    ] as const;
  });
  const inner = Object.entries(blocks).map(([name, of]) => [name, { ...of, block: idsAsWords(of.block) }] as const);
  return { attributes: Object.fromEntries(worded), blocks: Object.fromEntries(inner) };
}

export function standInHcloud(seen?: VendorRules["seen"]): StandIn {
  const { source, resources } = cloudSchema("hcloud");
  const schema: CloudSchema = {
    source,
    resources: Object.fromEntries(Object.entries(resources).map(([type, of]) => [type, idsAsWords(of)])),
  };
  return standInVendor(schema, { replace, unique, ...(seen ? { seen } : {}) });
}
