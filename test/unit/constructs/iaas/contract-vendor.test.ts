// Arguments against the vendors' own schemas (test/support/schemas, names and types only), user-data against their limits.
import { describe, expect, it } from "vitest";
import type { CloudName } from "../../../../constructs/spec/defaults.js";
import { encodeUserData } from "../../../../provider/boot/encode.js";
import { renderUserData } from "../../../../provider/boot/user-data.js";
import { sampleLate } from "../../../../provider/resources/boot/sample.js";
import { argumentProblems, cloudSchema, type CloudName as Vendor } from "../../../support/cloud-schema.js";
import { clouds, clusterOn, type Skips } from "../../../support/cloud-specs.js";

const noSchema: Skips = {
  local: "its resources are the kit's own, whose schema is tested with the provider",
  preview: "null_resource has one argument",
};

/** As the vendors document it: bytes, and of what. docs/clouds has the sources. */
const userData: Readonly<Record<CloudName, { readonly encoding: string; readonly most: number; readonly argument: string | null }>> = {
  local: { encoding: "gzip_base64", most: 16_384, argument: "user_data_base64" },
  preview: { encoding: "gzip_base64", most: 16_384, argument: null },
  aws: { encoding: "gzip_base64", most: 16_384, argument: "user_data_base64" },
  k2: { encoding: "gzip_base64", most: 16_384, argument: "user_data_base64" },
  openstack: { encoding: "gzip_base64", most: 49_151, argument: "user_data" },
  hcloud: { encoding: "gzip_base64_text", most: 32_768, argument: "user_data" },
};

describe.each(clouds)("%s", (cloud) => {
  const variants =
    cloud === "local" ? [{}] : [{}, { public: true }, { own: true, public: true }, { tags: { team: "x" } }, { replicas: 1 as const }];

  it.skipIf(noSchema[cloud] !== undefined)("gives arguments that the vendor knows, all that it wants, of the right types", () => {
    const schema = cloudSchema(cloud as Vendor);
    for (const variant of variants)
      for (const resource of clusterOn(cloud, variant).vendors)
        if (resource.data !== true) expect(argumentProblems(schema, resource), resource.name).toEqual([]);
  });

  it("has the vendor's provider, with a source and a version", () => {
    const { mapping, spec, vendors } = clusterOn(cloud);
    if (mapping.provider === null) return expect(vendors.every(({ type }) => type.startsWith("honest_"))).toBe(true);
    expect(mapping.provider.source).toMatch(/^[a-z0-9-]+\/[a-z0-9-]+$/);
    expect(mapping.provider.version).toMatch(/^(~>|>=) \d+\.\d+(\.\d+)?$/);
    for (const { type } of vendors) expect(type.startsWith(`${mapping.provider.type}_`), type).toBe(true);
    // Who signs in stands in the environment.
    for (const key of Object.keys(mapping.provider.args(spec))) expect(key).not.toMatch(/(key|secret|token|password)/);
    return undefined;
  });

  it("packs user-data as the cloud takes it, and within what it takes for every role", () => {
    const { mapping, blueprint, byName } = clusterOn(cloud);
    const { encoding, most, argument } = userData[cloud];
    const { userDataBytes, userDataEncoding } = mapping.limits;
    expect(userDataEncoding).toBe(encoding);
    expect(userDataBytes).toBeLessThanOrEqual(most);
    for (const { spec, machine, labels, taints, role } of [
      ...blueprint.controlPlanes,
      ...blueprint.groups.flatMap((group) => group.workers),
    ]) {
      const late = sampleLate(spec);
      const own = role === "worker" ? taints : [];
      const { bytes, text } = renderUserData({ spec, late, labels, taints: own, born: false }, userDataEncoding);
      expect(bytes, machine).toBeLessThanOrEqual(userDataBytes);
      expect(encodeUserData("x", userDataEncoding).text).toMatch(/^[A-Za-z0-9+/=]+$/);
      expect(text.length).toBeGreaterThan(1_000);
      if (argument !== null) expect(byName.get(machine)?.args[argument], machine).toMatchObject({ attribute: "user_data" });
    }
  });
});
