// The spec's tags in OpenStack's two forms.
import type { ClusterSpec } from "../../spec/gen/spec.js";
import type { Arg } from "../resource.js";

/** Neutron's and Octavia's tags are words. null: the spec has none. */
export function labels({ tags }: Pick<ClusterSpec, "tags">): readonly string[] | null {
  const all = Object.keys(tags)
    .sort()
    .map((key) => `${key}=${tags[key]}`);
  return all.length ? all : null;
}

/** Nova's and Cinder's are pairs. null: the spec has none. */
export const pairs = ({ tags }: Pick<ClusterSpec, "tags">): Arg => (Object.keys(tags).length ? { ...tags } : null);
