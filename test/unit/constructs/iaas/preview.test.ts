// A preview's plan stands for a cloud's, so what changes in place there is no replacement here, and it shows no secret.
import { describe, expect, it } from "vitest";
import { build } from "../../../../constructs/blueprint/build.js";
import { mapCluster } from "../../../../constructs/iaas/map.js";
import { preview } from "../../../../constructs/iaas/preview.js";
import { honestBarrier } from "../../../../provider/resources/honest-barrier.js";
import { honestBoot } from "../../../../provider/resources/honest-boot.js";
import { honestNode } from "../../../../provider/resources/honest-node.js";
import { honestPki } from "../../../../provider/resources/honest-pki.js";
import { specOf } from "../../../support/blueprint.js";

const spec = specOf({
  iaas: { preview: {} },
  node_groups: { web: { scaling_config: { desired_size: 1 } } },
  certificates: { rotation: { number: 1, state: "retire" } },
  upgrade_policy: { maintenance_window: { hour: 3, duration_hours: 2 } },
  backup: {
    target: {
      s3: { endpoint: "https://s3.example.com", bucket: "backups", access_key_id: "the-key", secret_access_key: "the-secret" },
      passphrase: "a-passphrase-of-some-length",
    },
  },
  restore: {
    number: 1,
    sha256: "ab".repeat(32),
    url: "https://s3.example.com/x?X-Amz-Signature=the-signature",
    passphrase: "another-passphrase",
    not_after: "2026-12-01T18:00:00Z",
  },
});
const blueprint = build(spec);
const resources = mapCluster(spec, blueprint, preview);

describe("what an apply of a real cloud changes in place", () => {
  const own = new Map(
    mapCluster(spec, blueprint, { ...preview, standIn: (resource) => resource }).map((resource) => [resource.name, resource]),
  );
  // parts of a spec, and names that nobody changes, are replacements all the same
  it.each([honestPki, honestBoot, honestNode, honestBarrier].map(({ name, schema }) => [name, schema] as const))("%s", (type, schema) => {
    const seen = resources.filter(({ name }) => own.get(name)?.type === type);
    expect(seen).not.toHaveLength(0);
    for (const { name, args, lifecycle } of seen) {
      const shown = Object.keys(args.triggers as object);
      const stays = Object.entries(own.get(name)?.args ?? {})
        .filter(
          ([key]) => shown.includes(key) && schema.attributes[key]?.change === undefined && !["spec", "cluster", "pool"].includes(key),
        )
        .map(([key]) => `triggers["${key}"]`);
      expect(lifecycle?.ignoreChanges, name).toEqual(expect.arrayContaining(stays));
    }
  });
});

it("shows no key and no passphrase", () => {
  const text = JSON.stringify(resources);
  expect(text).toContain("s3.example.com");
  for (const secret of ["the-key", "the-secret", "a-passphrase", "the-signature", "another-passphrase"]) expect(text).not.toContain(secret);
});
