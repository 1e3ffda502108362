import { describe, expect, it } from "vitest";
import { coreObjects, coreVersion } from "../../../../../provider/kube/core-manifests/build.js";
import type { CoreInput } from "../../../../../provider/kube/core-manifests/parts.js";
import { type KubeObject, keyOf, wordKey } from "../../../../../provider/kube/object.js";
import { knownKind } from "../../../../../provider/kube/paths.js";

const input: CoreInput = {
  cluster: "demo",
  version: "1.36.3",
  endpointName: "api.demo.honest.internal",
  endpointPort: 6443,
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  clusterDomain: "cluster.local",
  cni: "kube-router",
  coredns: "1.14.2",
  kubeRouter: "2.1.0",
  agent: { archive: Buffer.from("agent"), sha256: "abc", version: "1" },
};
const find = (objects: readonly KubeObject[], word: string) => objects.find((o) => wordKey(keyOf(o)) === word);
const images = (objects: readonly KubeObject[]) => [...JSON.stringify(objects).matchAll(/"image":"([^"]+)"/g)].map((m) => m[1]);
interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

describe("the cluster-wide parts", () => {
  const objects = coreObjects(input);

  it("have these images and no others", () => {
    expect([...new Set(images(objects))]).toEqual([
      "registry.k8s.io/kube-proxy:v1.36.3",
      "docker.io/cloudnativelabs/kube-router:v2.1.0",
      "registry.k8s.io/coredns/coredns:v1.14.2",
    ]);
  });

  it("wrap packets of pods within a subnet where the cloud drops them", () => {
    const args = (of: CoreInput): string => JSON.stringify(find(coreObjects(of), "DaemonSet kube-system/kube-router"));
    expect(args(input)).toContain('"--overlay-type=subnet"');
    expect(args({ ...input, podTraffic: "tunnelled" })).toContain('"--overlay-type=full"');
  });

  it("tell agents how long certificates live, when the cluster says so", () => {
    expect(find(objects, "ConfigMap kube-system/honest-paas-policy")).toBeUndefined();
    const told = find(
      coreObjects({ ...input, certificates: { lifetimeSeconds: 180, renewBeforeSeconds: 60 } }),
      "ConfigMap kube-system/honest-paas-policy",
    );
    const { certificates = "" } = (told?.data ?? {}) as { certificates?: string };
    expect(JSON.parse(certificates)).toEqual({ lifetime_seconds: 180, renew_before_seconds: 60 });
  });

  const backup = { every_seconds: 60, keep: 2, drill_seconds: 0, target: null };
  const backupKeys = { access_key_id: "id", secret_access_key: "secret", passphrase: "a passphrase" };
  const certificates = { lifetimeSeconds: 180, renewBeforeSeconds: 60 };

  it("tell agents when to take snapshots, and give keys in a Secret alone", () => {
    const made = coreObjects({ ...input, certificates, backup, backupKeys });
    const told = find(made, "ConfigMap kube-system/honest-paas-policy")?.data as Record<string, string>;
    expect(JSON.parse(told.backup ?? "")).toEqual(backup);
    const secret = find(made, "Secret kube-system/honest-paas-backup")?.data as Record<string, string>;
    expect(Buffer.from(secret.passphrase ?? "", "base64").toString()).toBe("a passphrase");
    expect(JSON.stringify(made.filter((o) => o.kind !== "Secret"))).not.toMatch(/a passphrase|"secret"/);
    expect(find(coreObjects({ ...input, certificates, backup }), "Secret kube-system/honest-paas-backup")).toBeUndefined();
  });

  it("let nobody but agents of control planes read Secrets, and no node", () => {
    const reading = objects
      .filter((o) => /Role$/.test(o.kind))
      .filter((o) => ((o.rules ?? []) as readonly Rule[]).some((rule) => rule.resources.some((r) => r === "secrets" || r === "*")));
    expect(reading.map((o) => `${o.kind} ${o.metadata.name}`)).toEqual(["Role honest-paas:agent"]);
    const bound = objects.filter((o) => (o.roleRef as { name?: string } | undefined)?.name === "honest-paas:agent");
    expect(bound.flatMap((o) => (o.subjects as readonly { name: string }[]).map((subject) => subject.name))).toEqual([
      "honest-paas:agents",
      "honest-paas:agents",
    ]);
  });

  it("have a version that tells nothing of keys, since it is shown", () => {
    const version = (over: Partial<CoreInput>) => coreVersion(coreObjects({ ...input, certificates, backup, backupKeys, ...over }));
    expect(version({ backupKeys: { ...backupKeys, passphrase: "another one" } })).toBe(version({}));
    expect(version({ backup: { ...backup, keep: 3 } })).not.toBe(version({}));
  });

  it("begin with rights and end with what waits for nodes", () => {
    expect(objects[0]?.kind).toBe("ClusterRoleBinding");
    expect(objects.at(-1)?.kind).toBe("Deployment");
    expect(objects.filter((o) => o.kind === "Deployment")).toHaveLength(1);
  });

  it("are of kinds that need no discovery, and named once", () => {
    expect(objects.filter((o) => !knownKind(o.apiVersion, o.kind))).toEqual([]);
    const names = objects.map((o) => wordKey(keyOf(o)));
    expect(new Set(names).size).toBe(names.length);
  });

  it("reach the API by the endpoint's name, never by the service address", () => {
    for (const name of ["kube-proxy", "kube-router"]) {
      const text = JSON.stringify(find(objects, `ConfigMap kube-system/${name}`));
      expect(text).toContain("https://api.demo.honest.internal:6443");
      expect(text).not.toContain("10.96.0.1:");
    }
  });

  it("put DNS at the tenth service address", () => {
    expect(find(objects, "Service kube-system/kube-dns")?.spec).toMatchObject({ clusterIP: "10.96.0.10" });
  });

  it("leave the network to the user when told so", () => {
    const without = coreObjects({ ...input, cni: "none" });
    expect(JSON.stringify(without)).not.toContain("kube-router");
    expect(without.length).toBeLessThan(objects.length);
  });

  it("change their digest with any input, and only then", () => {
    const base = coreVersion(objects);
    expect(coreVersion(coreObjects({ ...input }))).toBe(base);
    const changes: readonly Partial<CoreInput>[] = [
      { version: "1.37.2" },
      { cni: "none" },
      { coredns: "1.14.6" },
      { podCidr: "10.1.0.0/16" },
      { endpointPort: 443 },
    ];
    for (const change of changes) expect(coreVersion(coreObjects({ ...input, ...change }))).not.toBe(base);
  });

  it("make new pods when only a configuration changes", () => {
    const hash = (objects: readonly KubeObject[]) =>
      JSON.stringify(find(objects, "DaemonSet kube-system/kube-proxy")).match(/honest-paas.dev\/config":"(\w+)/)?.[1];
    expect(hash(coreObjects({ ...input, endpointPort: 443 }))).not.toBe(hash(objects));
  });
});

describe("rights", () => {
  const objects = coreObjects(input);
  const bindings = objects.filter((o) => o.kind.endsWith("Binding"));
  const rules = (word: string) => (find(objects, word)?.rules ?? []) as readonly Rule[];

  it("approve no whole group: nobody is bound to kubeadm's approving roles", () => {
    const roles = bindings.map((b) => (b.roleRef as { name: string }).name);
    expect(roles.filter((role) => role.startsWith("system:certificates.k8s.io"))).toEqual([]);
  });

  it("give cluster-admin to the people's group alone", () => {
    const admins = bindings.filter((b) => (b.roleRef as { name: string }).name === "cluster-admin").map((b) => b.metadata.name);
    expect(admins).toEqual(["kubeadm:cluster-admins"]);
  });

  it("let nodes read the agent, the addresses of members, the policy, what is trusted, and nothing else", () => {
    const resourceNames = ["honest-paas-agent", "honest-paas-addresses", "honest-paas-policy", "honest-paas-trust"];
    expect(rules("Role kube-system/honest-paas:agent-archive")).toEqual([
      { apiGroups: [""], resources: ["configmaps"], resourceNames, verbs: ["get"] },
    ]);
  });

  it("let agents approve for the two kubelet signers, and never write a Secret", () => {
    const agent = rules("ClusterRole honest-paas:agent");
    expect(agent.find((r) => r.resources.includes("signers"))?.resourceNames).toEqual([
      "kubernetes.io/kube-apiserver-client-kubelet",
      "kubernetes.io/kubelet-serving",
    ]);
    expect(agent.some((r) => r.resources.includes("secrets"))).toBe(false);
    const secrets = rules("Role kube-system/honest-paas:agent").find((r) => r.resources.includes("secrets"));
    expect(secrets?.verbs).not.toContain("create");
    expect(secrets?.verbs).not.toContain("update");
  });

  it("let kube-router read, and write only what announces services", () => {
    const writes = rules("ClusterRole honest-paas:kube-router").filter((r) => r.verbs.some((v) => !["get", "list", "watch"].includes(v)));
    expect(writes.flatMap((r) => r.resources)).toEqual(["leases", "services/status"]);
  });
});
