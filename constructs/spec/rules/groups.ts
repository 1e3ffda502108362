// What a node group asks for has to be consistent, and Kubernetes has to take its labels and taints.
import type { ClusterSpec, NodeGroupSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";

export function groupRules(spec: ClusterSpec): readonly Problem[] {
  return [
    ...controlPlaneFlags(spec),
    ...parts(spec.control_plane.user_data_parts, ["control_plane"]),
    ...Object.entries(spec.node_groups).flatMap(([name, group]) => parts(group.user_data_parts, ["node_groups", name])),
    ...Object.entries(spec.node_groups).flatMap(([name, group]) => {
      const path = ["node_groups", name];
      return [...sizes(group, path), ...labels(group, path), ...taints(group, path), ...flags(group, path)];
    }),
  ];
}

/** Between two parts of the user-data. */
export const mimeBoundary = "==honest-paas==";

function parts(given: NodeGroupSpec["user_data_parts"], path: readonly string[]): readonly Problem[] {
  return Object.entries(given).flatMap(([name, { content, content_type }]): readonly Problem[] => {
    const at = [...path, "user_data_parts", name];
    if (content.includes(mimeBoundary))
      return [
        {
          code: "user_data.boundary",
          path: [...at, "content"],
          message: `has "${mimeBoundary}" in it, at which user-data is cut`,
          fix: "write it otherwise",
        },
      ];
    if (content_type === "text/cloud-config" && !/^#cloud-config\s/.test(content))
      return [
        {
          code: "user_data.format",
          path: [...at, "content"],
          message: "is no cloud-config",
          allowed: 'a text that begins with the line "#cloud-config"',
        },
      ];
    if (content_type === "text/cloud-config" && /^cloud_(init|config|final)_modules:/m.test(content))
      return [
        {
          code: "user_data.modules",
          path: [...at, "content"],
          message: "replaces cloud-init's list of modules, and with it the kit's own",
          fix: "take the list out",
        },
      ];
    if (content_type !== "text/cloud-config" && !content.startsWith("#!") && !content.startsWith("#cloud-boothook"))
      return [{ code: "user_data.format", path: [...at, "content"], message: "is no script", allowed: 'a text that begins with "#!"' }];
    return [];
  });
}

function sizes({ scaling_config: { desired_size, min_size, max_size } }: NodeGroupSpec, path: readonly string[]): readonly Problem[] {
  const at = (field: string) => [...path, "scaling_config", field];
  if (min_size > max_size)
    return [
      { code: "size.bounds", path: at("min_size"), message: `is above max_size ${max_size}`, got: min_size, allowed: `0 to ${max_size}` },
    ];
  if (desired_size < min_size || desired_size > max_size)
    return [
      {
        code: "size.bounds",
        path: at("desired_size"),
        message: "is outside of min_size and max_size",
        got: desired_size,
        allowed: `${min_size} to ${max_size}`,
      },
    ];
  return [];
}

const namePart = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const domain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

export function isLabelKey(key: string): boolean {
  const [name, prefix, ...rest] = key.split("/").reverse();
  const prefixFits = prefix === undefined || (prefix.length <= 253 && domain.test(prefix));
  return rest.length === 0 && name !== undefined && namePart.test(name) && prefixFits;
}
const isLabelValue = (value: string): boolean => value === "" || namePart.test(value);

const keyAllowed = '"name" or "domain/name": up to 63 letters, digits, dots, dashes and underscores';
const valueAllowed = "up to 63 letters, digits, dots, dashes and underscores";
/** Kubernetes keeps its own domains to itself: a kubelet refuses to start with such a label, but for these. */
const openDomains = ["node.kubernetes.io", "kubelet.kubernetes.io"];
function owner(key: string): string | null {
  const [domainOf] = key.includes("/") ? key.split("/") : [""];
  if (domainOf === "honest-paas.dev") return "is set by the kit itself";
  const kubernetes = /(^|\.)(kubernetes|k8s)\.io$/.test(domainOf ?? "") && !openDomains.includes(domainOf ?? "");
  return kubernetes ? "is one that only Kubernetes or the kit sets" : null;
}

function labels(group: NodeGroupSpec, path: readonly string[]): readonly Problem[] {
  return Object.entries(group.labels).flatMap(([key, value]): readonly Problem[] => {
    const at = [...path, "labels", key];
    if (!isLabelKey(key)) return [{ code: "label.invalid", path: at, message: "is not a label's key", got: key, allowed: keyAllowed }];
    const why = owner(key);
    if (why !== null) return [{ code: "label.owned", path: at, message: why, got: key, fix: "use a domain of your own" }];
    if (!isLabelValue(value))
      return [{ code: "label.invalid", path: at, message: "is not a label's value", got: value, allowed: valueAllowed }];
    return [];
  });
}

function taints(group: NodeGroupSpec, path: readonly string[]): readonly Problem[] {
  const seen = new Set<string>();
  return group.taint.flatMap((taint, n) => {
    const at = [...path, "taint", n];
    const same = `${taint.key}:${taint.effect}`;
    const twice = seen.has(same);
    seen.add(same);
    if (!isLabelKey(taint.key))
      return [{ code: "taint.invalid", path: [...at, "key"], message: "is not a taint's key", got: taint.key, allowed: keyAllowed }];
    if (!isLabelValue(taint.value))
      return [
        { code: "taint.invalid", path: [...at, "value"], message: "is not a taint's value", got: taint.value, allowed: valueAllowed },
      ];
    if (twice) return [{ code: "taint.duplicate", path: at, message: "has key and effect of an earlier taint", got: same }];
    return [];
  });
}

/** Workers run one component that takes flags. */
function flags(group: NodeGroupSpec, path: readonly string[]): readonly Problem[] {
  return [
    ...Object.keys(group.component_flags)
      .filter((flag) => !flag.startsWith("kubelet."))
      .map((flag) => ({
        code: "flag.component",
        path: [...path, "component_flags", flag],
        message: "is a flag of a component that workers do not run",
        got: flag,
        allowed: "kubelet.…",
        fix: "put it under control_plane.component_flags",
      })),
    ...ownedFlags(group.component_flags, [...path, "component_flags"]),
  ];
}

const setElsewhere: Readonly<Record<string, string>> = {
  "kube-controller-manager.node-cidr-mask-size": "kubernetes_network_config.node_cidr_mask",
  "kube-controller-manager.cluster-cidr": "kubernetes_network_config.pod_ipv4_cidr",
  "kube-controller-manager.service-cluster-ip-range": "kubernetes_network_config.service_ipv4_cidr",
  "kube-controller-manager.cluster-signing-duration": "certificates.lifetime",
  "kube-apiserver.service-cluster-ip-range": "kubernetes_network_config.service_ipv4_cidr",
  "kubelet.node-labels": "labels",
  "kubelet.register-with-taints": "taint",
};

const ownedFlags = (given: Readonly<Record<string, string>>, path: readonly string[]): readonly Problem[] =>
  Object.keys(given).flatMap((flag) => {
    const field = Object.hasOwn(setElsewhere, flag) ? setElsewhere[flag] : undefined;
    return field === undefined
      ? []
      : [{ code: "flag.owned", path: [...path, flag], message: "has a field of its own", got: flag, fix: `use ${field}` }];
  });

const controlPlaneFlags = (spec: ClusterSpec): readonly Problem[] =>
  ownedFlags(spec.control_plane.component_flags, ["control_plane", "component_flags"]);
