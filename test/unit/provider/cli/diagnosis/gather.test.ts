import { expect, it } from "vitest";
import { settings } from "../../../../../provider/cli/diagnosis/gather.js";
import type { State } from "../../../../../provider/cli/terraform/state.js";

const resource = (type: string, attributes: Record<string, unknown>) => ({ mode: "managed", type, name: "x", instances: [{ attributes }] });
const state = (...resources: ReturnType<typeof resource>[]): State => ({ resources });

it("knows the mirrors of a cluster's machines by their hosts, and whether it brings its own pod network", () => {
  const boot = (cluster: string, mirror_binaries: string | null, mirror_images: string | null) =>
    resource("honest_boot", { spec: { cluster, mirror_binaries, mirror_images } });
  const found = settings(
    state(
      boot("demo", "http://10.0.0.9:8080", "https://images.example/k8s"),
      boot("demo", "http://10.0.0.9:8080", null),
      boot("other", "http://10.9.9.9", null),
      resource("honest_barrier", { cluster: "demo", cni: "none" }),
    ),
    "demo",
  );
  expect(found).toEqual({ cni: "none", mirrors: ["10.0.0.9:8080", "images.example"] });
});

it("takes what a state does not say for the default", () => {
  expect(settings(state(), "demo")).toEqual({ cni: "kube-router", mirrors: [] });
});
