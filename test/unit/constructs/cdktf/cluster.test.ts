import { App, TerraformOutput, TerraformResource, TerraformStack, TerraformVariable, Testing, Token } from "cdktf";
import { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { Cluster, type ClusterProps, HonestProvider, SpecError } from "../../../../constructs/index.js";
import { graphOf, type StackJson } from "../../../support/stack-graph.js";
import { large, synth } from "../../../support/synth.js";

const stack = () => new TerraformStack(Testing.app(), "demo");
const least = { version: "1.36.3", iaas: { local: {} } } as const;
const json = (of: TerraformStack): StackJson => JSON.parse(Testing.synth(of, true)) as StackJson;

describe("Terraform's addresses", () => {
  it("never change: a changed one replaces what people run", () => {
    expect([...graphOf(large("local")).nodes.keys()].sort()).toMatchSnapshot();
  });

  it("carry the path of the construct, so that two clusters of a stack never meet", () => {
    const both = stack();
    new Cluster(both, "one", { ...least });
    new Cluster(new Construct(both, "team"), "two", { ...least });
    expect([...graphOf(json(both)).nodes.keys()].filter((address) => /pki/.test(address))).toEqual([
      expect.stringMatching(/^honest_pki\.one_pki_/),
      expect.stringMatching(/^honest_pki\.team_two_pki_/),
    ]);
  });

  it("have nothing directly under the stack, where CDKTF drops characters and silently overwrites", () => {
    const of = stack();
    new Cluster(of, "demo", { ...least }).addNodeGroup("web", { scalingConfig: { desiredSize: 1 } });
    expect(of.node.children.filter((child) => TerraformResource.isTerraformResource(child))).toEqual([]);
  });
});

describe("backups", () => {
  const s3 = { endpoint: "https://s3.example.com", bucket: "etcd" };
  const barrierOf = (of: TerraformStack) => Object.values(json(of).resource?.honest_barrier ?? {})[0] as Record<string, unknown>;

  it("take keys that only Terraform knows, and change them into nothing else", () => {
    const of = stack();
    const secret = new TerraformVariable(of, "secret", { sensitive: true });
    const passphrase = "literal $" + "{x} of sixteen";
    const target = { s3: { ...s3, accessKeyId: "id", secretAccessKey: secret.stringValue }, passphrase };
    new Cluster(of, "demo", { ...least, backup: { target } });
    expect(barrierOf(of).backup).toEqual({
      schedule: "6h",
      keep: 8,
      drill_every: "24h",
      target: {
        s3: { ...s3, prefix: "", region: "us-east-1", access_key_id: "id", secret_access_key: "$" + "{var.secret}" },
        passphrase: "literal $$" + "{x} of sixteen",
        keep: 30,
      },
    });
  });

  it("are part of no machine: its release, its boot data and what is made of it stay as they were", () => {
    const synthOf = (backup?: ClusterProps["backup"]) => {
      const of = stack();
      new Cluster(of, "demo", { ...least, ...(backup ? { backup } : {}), controlPlane: { replicas: 3 } }).addNodeGroup("web", {
        scalingConfig: { desiredSize: 1 },
      });
      const { honest_barrier, ...rest } = json(of).resource ?? {};
      return { barrier: honest_barrier, rest };
    };
    const target = { s3: { ...s3, accessKeyId: "AKIDKEY", secretAccessKey: "SECRETKEY" }, passphrase: "PASSPHRASE of a user" };
    const [plain, full] = [synthOf(), synthOf({ schedule: "1h", keep: 3, drillEvery: "off", target })];
    expect(full.rest).toEqual(plain.rest);
    expect(full.barrier).not.toEqual(plain.barrier);
    expect(JSON.stringify(full.rest)).not.toMatch(/AKIDKEY|SECRETKEY|PASSPHRASE/);
  });
});

describe("synth", () => {
  it("is equal whatever the order of groups and fields", () => {
    const web = { scalingConfig: { desiredSize: 2 }, labels: { a: "1", b: "2" } };
    const batch = { scalingConfig: { desiredSize: 1 } };
    const one = synth("local", { controlPlane: { replicas: 3, zones: ["a", "b"] } }, { web, batch });
    const other = synth(
      "local",
      { controlPlane: { zones: ["a", "b"], replicas: 3 } },
      { batch, web: { labels: { b: "2", a: "1" }, scalingConfig: { desiredSize: 2 } } },
    );
    const sorted = (of: StackJson) => JSON.stringify(of, (_, value: unknown) => inOrder(value));
    expect(sorted(other)).toBe(sorted(one));
  });

  it("is the same with groups in the props and with addNodeGroup", () => {
    const web = { scalingConfig: { desiredSize: 2 } };
    expect(synth("local", { nodeGroups: { web } })).toEqual(synth("local", {}, { web }));
  });

  it("asks for the provider of this package's version", () => {
    expect(synth("local").terraform?.required_providers).toEqual({ honest: { source: "honest-paas/honest", version: "0.1.0" } });
    expect(Object.keys(synth("preview").terraform?.required_providers ?? {})).toEqual(["null"]);
  });
});

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? [...value].sort() : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe("outputs", () => {
  it("have fixed names; access is sensitive", () => {
    const { output = {} } = synth("local");
    expect(Object.keys(output).sort()).toEqual(["honest_access", "honest_complete", "honest_endpoint", "honest_pending_count"]);
    expect(output.honest_access?.sensitive).toBe(true);
    expect(Object.keys(output.honest_access?.value as object).sort()).toEqual([
      "ca_bundle",
      "client_ca_cert",
      "client_ca_key",
      "cluster",
      "endpoint",
    ]);
  });

  it("count every machine that waits", () => {
    const { output = {} } = large("local");
    expect(String(output.honest_pending_count?.value).match(/pending_count/g)).toHaveLength(7);
  });

  it("have the name of a second cluster of the stack behind theirs", () => {
    const both = stack();
    new Cluster(both, "one", { ...least });
    new Cluster(both, "two-b", { ...least });
    expect(Object.keys(json(both).output ?? {}).filter((name) => /access/.test(name))).toEqual(["honest_access", "honest_access_two_b"]);
  });

  it("are none for a preview, which has nothing to reach", () => {
    expect(synth("preview").output).toBeUndefined();
  });
});

describe("what others use of a cluster", () => {
  it("dependsOn waits for the hand-over", () => {
    const of = stack();
    const cluster = new Cluster(of, "demo", { ...least });
    new TerraformOutput(of, "late", { value: "x", dependsOn: [cluster] });
    const [late] = Object.values(json(of).output ?? {}).filter((o) => o.value === "x") as { depends_on?: string[] }[];
    expect(late?.depends_on?.join()).toMatch(/honest_barrier\.demo_barrier_/);
  });

  it("has its endpoint as a plain text and its trust as a reference", () => {
    const cluster = new Cluster(stack(), "demo", { ...least });
    expect(cluster.clusterEndpoint).toBe("https://127.0.0.1:29852");
    expect(Token.isUnresolved(cluster.clusterCaBundle)).toBe(true);
    expect(cluster.spec.control_plane.replicas).toBe(1);
  });

  it("goes to a provider with an alias", () => {
    const of = stack();
    const far = new HonestProvider(of, "far", { alias: "far", dockerHost: "tcp://10.0.0.1:2375", install: false });
    new Cluster(of, "demo", { ...least, provider: far });
    for (const [address, resource] of graphOf(json(of)).nodes) expect(resource.provider, address).toBe("honest.far");
    expect(json(of).provider?.honest).toEqual([{ alias: "far", docker_host: "tcp://10.0.0.1:2375" }]);
  });

  it("takes the stack's own provider when there is one", () => {
    const of = stack();
    new HonestProvider(of, "mine", { dockerHost: "tcp://10.0.0.1:2375", install: false });
    new Cluster(of, "demo", { ...least });
    expect(json(of).provider?.honest).toHaveLength(1);
  });
});

describe("fails when", () => {
  const message = (make: () => unknown): string => {
    try {
      make();
    } catch (cause) {
      if (cause instanceof SpecError) return cause.message;
      throw cause;
    }
    return "no error";
  };

  it("the spec is wrong, with all problems in the user's own spelling", () => {
    const wrong = { ...least, controlPlane: { replicas: 2, etcdVolume: { sizeGib: 0 } } } as never;
    expect(message(() => new Cluster(stack(), "demo", wrong))).toBe(
      [
        "demo/demo: 2 problems",
        "  - controlPlane.replicas: is not one of the allowed values (got 2; allowed: 1, 3, 5)",
        "  - controlPlane.etcdVolume.sizeGib: is out of range (got 0; allowed: >= 1)",
      ].join("\n"),
    );
  });

  it("the construct's id is no name and none is given", () => {
    expect(message(() => new Cluster(stack(), "My.Cluster", { ...least }))).toContain('name: is not a name (got "My.Cluster"');
    expect(message(() => new Cluster(stack(), "My.Cluster", { ...least, name: "my-cluster" }))).toBe("no error");
  });

  it("a cloud cannot do it", () => {
    const wrong = { ...least, controlPlane: { diskSize: 50 } };
    expect(message(() => new Cluster(stack(), "demo", wrong))).toContain('controlPlane.diskSize: the cloud "local" has no such thing');
  });

  it("a value is only known when Terraform runs", () => {
    const size = Token.asNumber({ resolve: () => 1 });
    const cluster = new Cluster(stack(), "demo", { ...least });
    expect(message(() => cluster.addNodeGroup("web", { scalingConfig: { desiredSize: size } }))).toContain(
      "nodeGroups.web.scalingConfig.desiredSize: is only known when Terraform runs",
    );
    const version = Token.asString({ resolve: () => "1.36.3" });
    expect(message(() => new Cluster(stack(), "demo", { ...least, version }))).toContain("version: is only known");
  });

  it("a group is added twice, and the cluster stays as it was", () => {
    const of = stack();
    const cluster = new Cluster(of, "demo", { ...least });
    cluster.addNodeGroup("web", { scalingConfig: { desiredSize: 1 } });
    const before = json(of);
    expect(message(() => cluster.addNodeGroup("web", { scalingConfig: { desiredSize: 2 } }))).toContain("nodeGroups.web: is there already");
    expect(message(() => cluster.addNodeGroup("Web", { scalingConfig: { desiredSize: 2 } }))).toContain("nodeGroups.Web: is not a name");
    expect(json(of)).toEqual(before);
  });

  it("two clusters of a stack have one name", () => {
    const of = stack();
    new Cluster(of, "a", { ...least, name: "demo" });
    expect(message(() => new Cluster(of, "b", { ...least, name: "demo" }))).toContain("is the name of another cluster of the stack");
  });

  it("there is no stack", () => {
    expect(() => new Cluster(new App({ outdir: Testing.app().outdir }), "demo", { ...least })).toThrow();
  });
});
