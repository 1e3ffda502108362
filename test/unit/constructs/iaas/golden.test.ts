// What a local cluster was made of before there were clouds: its resources, their arguments and the releases of its machines.
// A new field of the spec changes none of it, or every machine of every cluster would roll. Written once, never regenerated.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { build } from "../../../../constructs/blueprint/build.js";
import { mapCluster } from "../../../../constructs/iaas/map.js";
import { mappingOf } from "../../../../constructs/iaas/registry.js";
import { specOf } from "../../../support/blueprint.js";

const golden = JSON.parse(readFileSync(new URL("golden/local.json", import.meta.url), "utf8")) as {
  readonly resources: readonly unknown[];
  readonly releases: Readonly<Record<string, string>>;
};

const spec = specOf({
  control_plane: { replicas: 3, zones: ["a", "b"] },
  node_groups: { web: { scaling_config: { desired_size: 3 }, zones: ["a", "b"] } },
  backup: {
    target: {
      s3: { endpoint: "https://s3.example.com", bucket: "backups", access_key_id: "k", secret_access_key: "s" },
      passphrase: "a-passphrase-of-some-length",
    },
  },
});
const blueprint = build(spec);

it("makes the same resources with the same arguments", () => {
  expect(JSON.parse(JSON.stringify(mapCluster(spec, blueprint, mappingOf(spec))))).toEqual(golden.resources);
});

it("gives every machine the same release", () => {
  const members = [...blueprint.controlPlanes, ...blueprint.groups.flatMap((group) => group.workers)];
  expect(Object.fromEntries(members.map(({ id, release }) => [id, release]))).toEqual(golden.releases);
});
