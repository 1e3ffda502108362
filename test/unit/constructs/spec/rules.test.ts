// Each rule by a table: what is changed in a good spec, and which problems that makes.
import { describe, expect, it } from "vitest";
import { parse } from "../../../../constructs/spec/parse.js";
import { wordProblem } from "../../../../constructs/spec/problem.js";

type Row = readonly [what: string, over: object, problems: readonly string[]];
const group = (over: object = {}) => ({ scaling_config: { desired_size: 1 }, ...over });
const problems = (over: object): readonly string[] =>
  (parse({ name: "demo", version: "1.36.3", iaas: { local: {} }, vpc_config: { cidr: "10.98.0.0/24" }, ...over }).problems ?? []).map(
    (p) => `${p.path.join(".")} ${p.code}`,
  );
const table = (rows: readonly Row[]): void => {
  it.each(rows)("%s", (_, over, wanted) => {
    expect(problems(over)).toEqual(wanted);
  });
};

describe("versions", () => {
  table([
    ["a supported one", { version: "1.37.2" }, []],
    ["one that does not exist", { version: "1.36.99" }, ["version version.unsupported"]],
    ["a minor alone", { version: "1.36" }, ["version version.unsupported"]],
    ["a group that is older", { version: "1.37.2", node_groups: { web: group({ version: "1.35.8" }) } }, []],
    ["a group that is newer", { node_groups: { web: group({ version: "1.37.2" }) } }, ["node_groups.web.version version.skew"]],
    ["a wrong one of the cluster is said once", { version: "9.9.9", node_groups: { web: group() } }, ["version version.unsupported"]],
    ["a group with a wrong one", { node_groups: { web: group({ version: "x" }) } }, ["node_groups.web.version version.unsupported"]],
  ]);
});

describe("names", () => {
  table([
    ["the control plane's own", { node_groups: { cp: group() } }, ["node_groups.cp name.reserved"]],
    [
      "node names of more than 63 characters",
      { name: "a".repeat(40), node_groups: { ["b".repeat(20)]: group() } },
      [`node_groups.${"b".repeat(20)} name.too_long`],
    ],
    ["node names of exactly 63", { name: "a".repeat(40), node_groups: { ["b".repeat(12)]: group() } }, []],
    [
      "one more digit",
      { name: "a".repeat(40), node_groups: { ["b".repeat(12)]: { scaling_config: { desired_size: 11 } } } },
      [`node_groups.${"b".repeat(12)} name.too_long`],
    ],
    [
      "two groups whose nodes would have one name",
      { node_groups: { a: group({ zones: ["b-c"] }), "a-b": group({ zones: ["c"] }) } },
      ["node_groups.a-b.zones name.duplicate"],
    ],
  ]);
});

describe("ranges", () => {
  const nets = (pod: string, service = "10.96.0.0/16") => ({
    kubernetes_network_config: { pod_ipv4_cidr: pod, service_ipv4_cidr: service },
  });
  const [machines, pods, services] = [
    "vpc_config.cidr",
    "kubernetes_network_config.pod_ipv4_cidr",
    "kubernetes_network_config.service_ipv4_cidr",
  ];
  table([
    ["no range at all", { vpc_config: { cidr: "everything" } }, [`${machines} cidr.invalid`]],
    ["IPv6", { vpc_config: { cidr: "fd00::/64" } }, [`${machines} cidr.invalid`]],
    ["bits after the prefix", { vpc_config: { cidr: "10.98.0.1/24" } }, [`${machines} cidr.host_bits`]],
    ["machines: too small", { vpc_config: { cidr: "10.98.0.0/28" } }, [`${machines} cidr.size`]],
    ["machines: too large", { vpc_config: { cidr: "16.0.0.0/7" } }, [`${machines} cidr.size`]],
    ["services: too small", nets("10.244.0.0/16", "10.96.0.0/25"), [`${services} cidr.size`]],
    ["services: too large", nets("10.244.0.0/16", "172.0.0.0/8"), [`${services} cidr.size`]],
    ["loopback", { vpc_config: { cidr: "127.0.0.0/24" } }, [`${machines} cidr.foreign`]],
    ["metadata", { vpc_config: { cidr: "169.254.169.0/24" } }, [`${machines} cidr.foreign`]],
    ["multicast", { vpc_config: { cidr: "239.0.0.0/24" } }, [`${machines} cidr.foreign`]],
    ["pods, services and machines overlap", nets("10.96.0.0/12"), [`${pods} cidr.overlap`, `${services} cidr.overlap`]],
    ["pods and machines overlap", nets("10.98.0.0/16"), [`${pods} cidr.overlap`]],
    ["services in the machines' range", { vpc_config: { cidr: "10.96.0.0/16" } }, [`${services} cidr.overlap`]],
    ["neighbours do not overlap", { vpc_config: { cidr: "10.97.0.0/24" } }, []],
    [
      "machines that do not fit, with those that replace them",
      { vpc_config: { cidr: "10.98.0.0/27" }, node_groups: { web: { scaling_config: { desired_size: 15 } } } },
      [`${machines} cidr.too_small`],
    ],
    [
      "machines that just fit",
      { vpc_config: { cidr: "10.98.0.0/27" }, node_groups: { web: { scaling_config: { desired_size: 14 } } } },
      [],
    ],
    ["pods: no room for the nodes", { ...nets("10.244.0.0/23"), node_groups: { web: group() } }, [`${pods} cidr.too_small`]],
    ["pods: just enough", { ...nets("10.244.0.0/24"), control_plane: { replicas: 1 } }, []],
    ["pods: narrower than one node's part", nets("10.244.0.0/25"), [`${pods} cidr.too_small`]],
  ]);

  it("says how wide it has to be", () => {
    const [problem] =
      parse({
        name: "demo",
        version: "1.36.3",
        iaas: { local: {} },
        vpc_config: { cidr: "10.98.0.0/27" },
        node_groups: { web: { scaling_config: { desired_size: 100 } } },
      }).problems ?? [];
    expect(problem && wordProblem(problem)).toContain("allowed: /25 or wider");
  });
});

describe("groups", () => {
  const at = (over: object) => ({ node_groups: { web: group(over) } });
  const size = (of: object) => ({ node_groups: { web: { scaling_config: of } } });
  table([
    ["zero workers", size({ desired_size: 0 }), []],
    ["below the least", size({ desired_size: 1, min_size: 2 }), ["node_groups.web.scaling_config.desired_size size.bounds"]],
    ["above the most", size({ desired_size: 3, max_size: 2 }), ["node_groups.web.scaling_config.desired_size size.bounds"]],
    ["least above most", size({ desired_size: 3, min_size: 4, max_size: 2 }), ["node_groups.web.scaling_config.min_size size.bounds"]],
    ["good labels", at({ labels: { "example.com/tier": "web", plain: "" } }), []],
    ["a label's key", at({ labels: { "-x": "1" } }), ["node_groups.web.labels.-x label.invalid"]],
    ["a label's value", at({ labels: { x: "a b" } }), ["node_groups.web.labels.x label.invalid"]],
    ["a label of ours", at({ labels: { "honest-paas.dev/pool": "x" } }), ["node_groups.web.labels.honest-paas.dev/pool label.owned"]],
    [
      "a label that a kubelet refuses to start with",
      at({ labels: { "node-role.kubernetes.io/web": "" } }),
      ["node_groups.web.labels.node-role.kubernetes.io/web label.owned"],
    ],
    ["a label that a kubelet takes", at({ labels: { "node.kubernetes.io/kind": "big" } }), []],
    ["a taint's key", at({ taint: [{ key: "", effect: "NO_EXECUTE" }] }), ["node_groups.web.taint.0.key taint.invalid"]],
    ["a taint's value", at({ taint: [{ key: "a", value: "b=c", effect: "NO_EXECUTE" }] }), ["node_groups.web.taint.0.value taint.invalid"]],
    [
      "a taint twice",
      at({
        taint: [
          { key: "a", value: "1", effect: "NO_EXECUTE" },
          { key: "a", value: "2", effect: "NO_EXECUTE" },
        ],
      }),
      ["node_groups.web.taint.1 taint.duplicate"],
    ],
    [
      "one key with two effects",
      at({
        taint: [
          { key: "a", effect: "NO_EXECUTE" },
          { key: "a", effect: "NO_SCHEDULE" },
        ],
      }),
      [],
    ],
    [
      "a flag of what workers do not run",
      at({ component_flags: { "etcd.debug": "x" } }),
      ["node_groups.web.component_flags.etcd.debug flag.component"],
    ],
    [
      "a flag that has a field",
      { control_plane: { component_flags: { "kube-controller-manager.cluster-cidr": "10.0.0.0/8" } } },
      ["control_plane.component_flags.kube-controller-manager.cluster-cidr flag.owned"],
    ],
  ]);
});

describe("addresses", () => {
  table([
    ["an endpoint without https", { access: { endpoint: "http://a:1" } }, ["access.endpoint url.invalid"]],
    ["an endpoint that is none", { access: { endpoint: "a:6443" } }, ["access.endpoint url.invalid"]],
    ["a mirror that is none", { mirror: { images: "registry:5000" } }, ["mirror.images url.invalid"]],
    ["a mirror with a password", { mirror: { binaries: "http://u:p@m" } }, ["mirror.binaries url.invalid"]],
    ["a mirror", { mirror: { binaries: "http://mirror.example/dl", images: "https://10.0.0.1:5000" } }, []],
    ["a certificate that is none", { mirror: { ca: "MIIB" } }, ["mirror.ca pem.invalid"]],
    ["names for certificates", { access: { cert_names: ["api.example.com", "10.0.0.1", "*.example.com"] } }, []],
    [
      "a name that is none",
      { access: { cert_names: ["API", "10.0.0.300"] } },
      ["access.cert_names.0 name.invalid", "access.cert_names.1 name.invalid"],
    ],
    ["an address to publish on", { iaas: { local: { published_address: "localhost" } } }, ["iaas.local.published_address address.invalid"]],
    [
      "a time zone",
      { upgrade_policy: { maintenance_window: { hour: 1, duration_hours: 2, timezone: "Mars/Base" } } },
      ["upgrade_policy.maintenance_window.timezone timezone.unknown"],
    ],
    [
      "an offset for a time zone, in which no hour may ever begin",
      { upgrade_policy: { maintenance_window: { hour: 1, duration_hours: 2, timezone: "+05:37" } } },
      ["upgrade_policy.maintenance_window.timezone timezone.unknown"],
    ],
    [
      "a window that never opens: no day",
      { upgrade_policy: { maintenance_window: { hour: 1, duration_hours: 2, days: [] } } },
      ["upgrade_policy.maintenance_window.days field.range"],
    ],
    [
      "a window that never opens: no hour",
      { upgrade_policy: { maintenance_window: { hour: 1, duration_hours: 0 } } },
      ["upgrade_policy.maintenance_window.duration_hours field.range"],
    ],
  ]);
});

describe("certificates", () => {
  const [lifetime, window] = ["certificates.lifetime certificates.lifetime", "certificates.renew_before certificates.window"];
  table([
    ["a short life", { certificates: { lifetime: "3m" } }, []],
    ["one that no kubelet could follow", { certificates: { lifetime: "179s" } }, [lifetime]],
    ["one that outlives the authorities", { certificates: { lifetime: "25h", ca_hours: 24 } }, [lifetime]],
    ["one as long as the authorities'", { certificates: { lifetime: "24h", ca_hours: 24 } }, []],
    ["a window", { certificates: { lifetime: "90m", renew_before: "1h29m59s" } }, []],
    ["a window as long as the life", { certificates: { lifetime: "90m", renew_before: "1h30m" } }, [window]],
    ["a window longer than the life", { certificates: { lifetime: "90m", renew_before: "720h" } }, [window]],
    ["a window longer than the default life", { certificates: { renew_before: "9000h" } }, [window]],
    ["a window without time for a renewal", { certificates: { renew_before: "59s" } }, [window]],
    ["none at all", { certificates: { renew_before: "0s" } }, [window]],
    ["another unit", { certificates: { lifetime: "30d" } }, ["certificates.lifetime field.format"]],
    ["nothing", { certificates: { lifetime: "" } }, ["certificates.lifetime field.format"]],
    ["a number", { certificates: { lifetime: 8760 } }, ["certificates.lifetime field.type"]],
    [
      "the flag behind it",
      { control_plane: { component_flags: { "kube-controller-manager.cluster-signing-duration": "1h" } } },
      ["control_plane.component_flags.kube-controller-manager.cluster-signing-duration flag.owned"],
    ],
  ]);
});

describe("backups", () => {
  const s3 = { endpoint: "https://s3.example.com", bucket: "etcd", access_key_id: "id", secret_access_key: "secret" };
  const to = (over: object = {}, more: object = {}) => ({
    backup: { target: { s3: { ...s3, ...over }, passphrase: "correct horse battery", ...more } },
  });
  table([
    ["none said", {}, []],
    ["off", { backup: { schedule: "off", drill_every: "off" } }, []],
    ["the shortest", { backup: { schedule: "1m", drill_every: "60s", keep: 1 } }, []],
    ["too often", { backup: { schedule: "59s" } }, ["backup.schedule backup.schedule"]],
    ["never, in a roundabout way", { backup: { schedule: "0h" } }, ["backup.schedule backup.schedule"]],
    ["too seldom", { backup: { schedule: "169h" } }, ["backup.schedule backup.schedule"]],
    ["a drill too seldom", { backup: { drill_every: "721h" } }, ["backup.drill_every backup.schedule"]],
    ["no words for a time", { backup: { schedule: "daily" } }, ["backup.schedule field.format"]],
    ["nothing kept", { backup: { keep: 0 } }, ["backup.keep field.range"]],
    ["a target", to(), []],
    ["a target with all", to({ prefix: "clusters/eu", region: "eu-1", ca: "PEM", endpoint: "http://10.0.0.1:7070/" }, { keep: 1 }), []],
    ["a target without a passphrase", { backup: { target: { s3 } } }, ["backup.target.passphrase field.missing"]],
    ["a short passphrase", to({}, { passphrase: "fifteen letters" }), ["backup.target.passphrase backup.passphrase"]],
    [
      "a target without keys",
      { backup: { target: { s3: { endpoint: "https://x", bucket: "etcd" }, passphrase: "x".repeat(16) } } },
      ["backup.target.s3.access_key_id field.missing", "backup.target.s3.secret_access_key field.missing"],
    ],
    ["an endpoint without a scheme", to({ endpoint: "s3.example.com" }), ["backup.target.s3.endpoint backup.endpoint"]],
    ["an endpoint with a path", to({ endpoint: "https://s3.example.com/etcd" }), ["backup.target.s3.endpoint backup.endpoint"]],
    ["a port that is none", to({ endpoint: "https://s3.example.com:70000" }), ["backup.target.s3.endpoint backup.endpoint"]],
    ["a bucket that is none", to({ bucket: "Etcd_" }), ["backup.target.s3.bucket name.invalid"]],
    ["a prefix that begins with a slash", to({ prefix: "/x" }), ["backup.target.s3.prefix name.invalid"]],
  ]);

  it("never repeat a passphrase in what they say", () => {
    const { problems: found = [] } = parse({ name: "demo", version: "1.36.3", iaas: { local: {} }, ...to({}, { passphrase: "hunter2" }) });
    expect(found.map(wordProblem).join()).toContain("has 7 characters");
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });
});

describe("restore", () => {
  const done = { number: 1, sha256: "ab".repeat(32) };
  const whole = { ...done, url: "https://s3/b/k?X-Amz-Signature=s", passphrase: "open", not_after: "2026-12-01T18:00:00Z" };
  table([
    ["one that is to be made", { restore: whole }, []],
    ["one that is done", { restore: done }, []],
    ["a plain file", { restore: { ...whole, passphrase: undefined } }, []],
    ["no end", { restore: { ...whole, not_after: undefined } }, ["restore.not_after restore.incomplete"]],
    ["an end of nothing", { restore: { ...done, not_after: whole.not_after } }, ["restore.url restore.incomplete"]],
    ["a passphrase of nothing", { restore: { ...done, passphrase: "open" } }, ["restore.url restore.incomplete"]],
    ["number 0: that is the birth", { restore: { ...whole, number: 0 } }, ["restore.number field.range"]],
    ["no sum", { restore: { number: 1 } }, ["restore.sha256 field.missing"]],
    ["a sum in capitals", { restore: { ...whole, sha256: "AB".repeat(32) } }, ["restore.sha256 field.format"]],
    ["a bucket's own address", { restore: { ...whole, url: "s3://b/k" } }, ["restore.url field.format"]],
    ["an end in local time", { restore: { ...whole, not_after: "2026-12-01T18:00:00+01:00" } }, ["restore.not_after field.format"]],
    ["a field that nobody knows", { restore: { ...whole, snapshot: "s" } }, ["restore.snapshot field.unknown"]],
  ]);
});
