// Parity is a law: the constructs' stack, as CDKTF writes it, against what the managed resources make of the same spec.
import { TerraformResource, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { renderArgs } from "../../../../../constructs/cdktf/render.js";
import type { VendorResource } from "../../../../../constructs/iaas/resource.js";
import { Cluster } from "../../../../../constructs/index.js";
import { fromCamel } from "../../../../../constructs/spec/casing.js";
import type { NodeGroupProps } from "../../../../../constructs/spec/gen/spec.js";
import { dependenciesOf } from "../../../../../provider/managed/graph.js";
import { evaluateCluster, evaluateGroup, forGroups, neededByGroups } from "../../../../../provider/resources/managed/evaluate.js";
import { type Json, understand } from "../../../../../provider/resources/managed/input.js";
import type { StackJson } from "../../../../support/stack-graph.js";

interface Case {
  readonly props: object;
  readonly groups: Readonly<Record<string, NodeGroupProps>>;
}
const least = { version: "1.36.3", iaas: { local: {} } };
const groups = {
  web: { scalingConfig: { desiredSize: 3 }, zones: ["a", "b"], labels: { tier: "web" } },
  batch: { scalingConfig: { desiredSize: 1 }, taint: [{ key: "batch", effect: "NO_SCHEDULE" as const }], version: "1.36.3" },
};
const cases: Readonly<Record<string, Case>> = {
  "the plainest cluster": { props: least, groups: {} },
  "one group": { props: least, groups: { w: { scalingConfig: { desiredSize: 1 } } } },
  "an empty group": { props: least, groups: { w: { scalingConfig: { desiredSize: 0 } } } },
  "three control planes, two groups": { props: { ...least, controlPlane: { replicas: 3, zones: ["a", "b", "c"] } }, groups },
  "without protection": { props: { ...least, deletionProtection: false }, groups },
  "a window, flags, a mirror": {
    props: {
      ...least,
      upgradePolicy: { maintenanceWindow: { hour: 3, durationHours: 2 }, roll: "in_one_apply" },
      controlPlane: { componentFlags: { "kube-apiserver.audit-log-maxage": "7" } },
      mirror: { binaries: "https://mirror.example.com/bin" },
    },
    groups,
  },
  "a backup": {
    props: {
      ...least,
      backup: {
        target: {
          s3: { endpoint: "https://s3.example.com", bucket: "etcd", accessKeyId: "id", secretAccessKey: "secret" },
          passphrase: "sixteen letters and more",
        },
      },
    },
    groups,
  },
  "a rotation of the authorities": { props: { ...least, certificates: { rotation: { number: 1, state: "promote" } } }, groups },
  "a restore": {
    props: {
      ...least,
      restore: { number: 1, sha256: "a".repeat(64), url: "https://s3.example.com/snapshot", notAfter: "2026-12-01T18:00:00Z" },
    },
    groups,
  },
};

/** What the constructs write: by path below the cluster. */
function stackOf({ props, groups }: Case): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const stack = new TerraformStack(Testing.app(), "demo");
  const cluster = new Cluster(stack, "demo", props as ConstructorParameters<typeof Cluster>[2]);
  for (const [name, group] of Object.entries(groups)) cluster.addNodeGroup(name, group);
  const json = JSON.parse(Testing.synth(stack, true)) as StackJson;
  const all = Object.entries(json.resource ?? {}).flatMap(([type, named]) =>
    Object.entries(named).map(([id, resource]) => [type, id, resource] as const),
  );
  const places = new Map<string, string>(
    stack.node.findAll().flatMap((found) => {
      if (!TerraformResource.isTerraformResource(found)) return [];
      return [[`${found.terraformResourceType}.${found.friendlyUniqueId}`, found.node.path.replace(/^demo\/demo\//, "")] as const];
    }),
  );
  return new Map(
    all.map(([type, id, { depends_on, provider, ...args }]) => {
      const address = `${type}.${id}`;
      return [places.get(address) ?? address, { ...args, "terraform type": type, "terraform address": address }];
    }),
  );
}

function managedOf({ props, groups }: Case): readonly VendorResource[] {
  const input = { name: "demo", ...(fromCamel(props) as Json) };
  const cluster = understand(input);
  if (!cluster.spec) throw new Error(JSON.stringify(cluster.problems));
  const { node_groups } = fromCamel({ nodeGroups: groups }) as { node_groups: Readonly<Record<string, Json>> };
  const ofGroups = Object.entries(node_groups).flatMap(([name, group]) => {
    const whole = understand({ ...forGroups(input), node_groups: { [name]: group } });
    if (!whole.spec) throw new Error(JSON.stringify(whole.problems));
    return evaluateGroup(whole.spec, name).resources;
  });
  return [...evaluateCluster(cluster.spec).resources, ...ofGroups];
}

describe.each(Object.entries(cases))("%s", (_, one) => {
  const stack = stackOf(one);
  const managed = managedOf(one);

  it("is made of the same resources with the same arguments and lifecycles", () => {
    const addressOf = (name: string): string => String(stack.get(name)?.["terraform address"]);
    const rendered = managed.map(({ name, type, args, lifecycle = {} }) => {
      const flags = {
        ...(lifecycle.createBeforeDestroy ? { create_before_destroy: true } : {}),
        ...(lifecycle.preventDestroy ? { prevent_destroy: true } : {}),
        ...(lifecycle.ignoreChanges?.length ? { ignore_changes: lifecycle.ignoreChanges } : {}),
      };
      return [
        name,
        JSON.parse(
          JSON.stringify({
            "terraform type": type,
            "terraform address": addressOf(name),
            ...renderArgs(args, addressOf),
            ...(Object.keys(flags).length ? { lifecycle: flags } : {}),
          }),
        ),
      ] as const;
    });
    // workers of a managed group join a cluster that is handed over, each by its own membership
    const withoutWorkers = (of: Readonly<Record<string, unknown>>) =>
      of["terraform type"] === "honest_barrier" ? { ...of, workers: {} } : of;
    const written = [...stack].map(([name, resource]) => [name, withoutWorkers(resource)] as const);
    expect(Object.fromEntries(rendered)).toEqual(Object.fromEntries(written));
  });

  it("gives groups all that they refer to, and nothing that moves by itself", () => {
    const cluster = understand({ name: "demo", ...(fromCamel(one.props) as Json) });
    const needed = neededByGroups(cluster.spec as NonNullable<typeof cluster.spec>, { name: "demo", ...(fromCamel(one.props) as Json) });
    const own = new Set(managed.map(({ name }) => name));
    expect(Object.keys(needed).every((name) => own.has(name))).toBe(true);
    for (const resource of managed.filter(({ name }) => name.startsWith("group/")))
      for (const name of dependenciesOf(resource))
        expect(name.startsWith("group/") || name in needed, `${resource.name} needs ${name}`).toBe(true);
  });
});
