// The kit's own resources as far as a vendor's see them: honest_boot gives a machine what it is made of, and moves with the
// release at once; what waits, drains and joins is not here (test/acceptance/pace-gate has it).
import { releaseOf } from "../../constructs/blueprint/machine-spec.js";
import { isUnknown, type ObjectValue } from "../../provider/framework/value.js";
import { loadProvider } from "../../provider/provider.js";
import { type StandIn, standIn, type VendorRules } from "./stand-in-vendor.js";

function boot(planned: ObjectValue): ObjectValue {
  const spec = planned.spec as ObjectValue;
  if (isUnknown(spec)) return planned;
  const { instance_type, image, root_disk_gib } = spec.shape as ObjectValue;
  const release = releaseOf(spec as unknown as Parameters<typeof releaseOf>[0]);
  const user_data = Buffer.from(`${String(spec.name)} ${release}`).toString("base64");
  return { ...planned, instance_type, image, root_disk_gib, release, user_data, version: spec.version, pending: null } as ObjectValue;
}

export async function standInHonest(seen?: VendorRules["seen"]): Promise<StandIn> {
  const { resources, schema } = await loadProvider();
  const made = standIn(
    resources.map(({ name, schema }) => ({ name, schema })),
    { plan: { honest_boot: boot }, ...(seen ? { seen } : {}) },
  );
  return { ...made, provider: { ...made.provider, schema } };
}
