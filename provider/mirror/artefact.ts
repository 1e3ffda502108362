// The files of a mirror, as data: where upstream publishes each, and which Go packages it is built from where upstream
// cannot be reached. Paths below the mirror are upstream's own URLs without the scheme.
import type { Components } from "./versions.js";

export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

export interface GoBuild {
  readonly module: string;
  readonly version: string;
  /** Package path relative to the module ("" = its root) and the name of the binary. */
  readonly packages: readonly { readonly path: string; readonly name: string }[];
  readonly cgo?: boolean;
  readonly tags?: string;
  /** Values for -X, by variable. */
  readonly stamp?: Readonly<Record<string, string>>;
}

export interface Artefact {
  /** Below the mirror, and the URL behind "https://". */
  readonly path: string;
  /** "binary": the file itself; otherwise an archive with the binaries below `prefix`. */
  readonly form: "binary" | "tar.gz";
  readonly prefix: string;
  readonly binaries: readonly string[];
  /** URL path of the published checksum; upstream's habits differ. */
  readonly checksum: string;
  readonly build: GoBuild;
}

const kubernetesBinaries = [
  "kubeadm",
  "kubelet",
  "kubectl",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kube-proxy",
] as const;

export function kubernetesBuild(version: string): GoBuild {
  const [major = "", minor = ""] = version.split(".");
  const stamp: Record<string, string> = {};
  for (const pkg of ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"]) {
    Object.assign(stamp, {
      [`${pkg}.gitVersion`]: `v${version}`,
      [`${pkg}.gitMajor`]: major,
      [`${pkg}.gitMinor`]: minor,
      [`${pkg}.gitCommit`]: "gomod",
      [`${pkg}.gitTreeState`]: "clean",
      [`${pkg}.buildDate`]: "2026-01-01T00:00:00Z",
    });
  }
  return {
    module: "k8s.io/kubernetes",
    version: `v${version}`,
    packages: [...kubernetesBinaries.map((name) => ({ path: `cmd/${name}`, name })), { path: "test/images/agnhost", name: "agnhost" }],
    stamp,
  };
}

const cniPlugins = [
  "plugins/main/bridge",
  "plugins/main/loopback",
  "plugins/main/ptp",
  "plugins/main/vlan",
  "plugins/ipam/host-local",
  "plugins/meta/portmap",
  "plugins/meta/bandwidth",
  "plugins/meta/firewall",
  "plugins/meta/tuning",
];

const last = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The files that go onto machines. Images are in images.ts. */
export function artefactsOf(c: Components, arch: Architecture): readonly Artefact[] {
  const github = "github.com";
  const kubernetes = kubernetesBuild(c.kubernetes);
  const etcd = `${github}/etcd-io/etcd/releases/download/v${c.etcd}`;
  const containerd = `${github}/containerd/containerd/releases/download/v${c.containerd}/containerd-${c.containerd}-linux-${arch}.tar.gz`;
  const runc = `${github}/opencontainers/runc/releases/download/v${c.runc}`;
  const cni = `${github}/containernetworking/plugins/releases/download/v${c.cni}/cni-plugins-linux-${arch}-v${c.cni}.tgz`;
  const crictl = `${github}/kubernetes-sigs/cri-tools/releases/download/v${c.crictl}/crictl-v${c.crictl}-linux-${arch}.tar.gz`;
  const etcdModule = (path: string, name: string): GoBuild => ({
    module: `go.etcd.io/etcd/${path}/v3`,
    version: `v${c.etcd}`,
    packages: [{ path: "", name }],
  });
  const etcdFile = `${etcd}/etcd-v${c.etcd}-linux-${arch}.tar.gz`;
  return [
    ...kubernetesBinaries.map((name): Artefact => {
      const path = `dl.k8s.io/v${c.kubernetes}/bin/linux/${arch}/${name}`;
      return { path, form: "binary", prefix: "", binaries: [name], checksum: `${path}.sha256`, build: kubernetes };
    }),
    ...(["server", "etcdctl", "etcdutl"] as const).map(
      (part): Artefact => ({
        path: etcdFile,
        form: "tar.gz",
        prefix: `etcd-v${c.etcd}-linux-${arch}/`,
        binaries: [part === "server" ? "etcd" : part],
        checksum: `${etcd}/SHA256SUMS`,
        build: etcdModule(part, part === "server" ? "etcd" : part),
      }),
    ),
    {
      path: containerd,
      form: "tar.gz",
      prefix: "bin/",
      binaries: ["containerd", "containerd-shim-runc-v2", "ctr"],
      checksum: `${containerd}.sha256sum`,
      build: {
        module: "github.com/containerd/containerd/v2",
        version: `v${c.containerd}`,
        packages: ["containerd", "containerd-shim-runc-v2", "ctr"].map((name) => ({ path: `cmd/${name}`, name })),
        stamp: { "github.com/containerd/containerd/v2/version.Version": `v${c.containerd}` },
      },
    },
    {
      path: `${runc}/runc.${arch}`,
      form: "binary",
      prefix: "",
      binaries: ["runc"],
      checksum: `${runc}/runc.sha256sum`,
      build: {
        module: "github.com/opencontainers/runc",
        version: `v${c.runc}`,
        packages: [{ path: "", name: "runc" }],
        cgo: true,
        tags: "seccomp",
      },
    },
    {
      path: cni,
      form: "tar.gz",
      prefix: "./",
      binaries: cniPlugins.map(last),
      checksum: `${cni}.sha256`,
      build: {
        module: "github.com/containernetworking/plugins",
        version: `v${c.cni}`,
        packages: cniPlugins.map((path) => ({ path, name: last(path) })),
      },
    },
    {
      path: crictl,
      form: "tar.gz",
      prefix: "",
      binaries: ["crictl"],
      checksum: `${crictl}.sha256`,
      build: {
        module: "sigs.k8s.io/cri-tools",
        version: `v${c.crictl}`,
        packages: [{ path: "cmd/crictl", name: "crictl" }],
        stamp: { "sigs.k8s.io/cri-tools/pkg/version.Version": `v${c.crictl}` },
      },
    },
  ];
}

/** Binaries that only live in images. */
export function imageBuilds(c: Components): { readonly coredns: GoBuild; readonly kubeRouter: GoBuild } {
  return {
    coredns: { module: "github.com/coredns/coredns", version: `v${c.coredns}`, packages: [{ path: "", name: "coredns" }] },
    kubeRouter: {
      module: "github.com/cloudnativelabs/kube-router/v2",
      version: `v${c.kubeRouter}`,
      packages: [{ path: "cmd/kube-router", name: "kube-router" }],
      stamp: { "github.com/cloudnativelabs/kube-router/v2/pkg/version.Version": `v${c.kubeRouter}` },
    },
  };
}
