import { describe, expect, it } from "vitest";
import { clustersIn } from "../../../../../provider/cli/kubeconfig/access.js";
import { withInside } from "../../../../../provider/cli/terraform/inside.js";

const access = { endpoint: "https://127.0.0.1:20000", ca_bundle: "ca", client_ca_cert: "cert", client_ca_key: "key" };
const object = (type: string, attributes: object, rest: object = {}) => ({
  current: { type, schema_version: 0, attributes, private: {}, dependencies: [], ...rest },
  deposed: [],
});
const cluster = (inventory: string | null) => ({
  mode: "managed",
  type: "honest_cluster",
  name: "this",
  instances: [{ attributes: { name: "demo", inventory } }],
});

describe("a managed resource in the state", () => {
  const objects = {
    barrier: object("honest_barrier", { cluster: "demo", access }),
    "cp/a/node": object("honest_node", { cluster: "demo", access }, { tainted: true }),
    "cp/a/machine": { current: null, deposed: [{ type: "honest_local_machine", attributes: { id: "i-1" } }] },
  };
  const all = withInside([cluster(JSON.stringify({ serial: 3, objects }))]);

  it("is followed by what it has made, half made and left over included", () => {
    expect(all.map(({ type, name }) => `${type} ${name}`)).toEqual([
      "honest_cluster this",
      "honest_barrier barrier",
      "honest_node cp/a/node",
      "honest_local_machine cp/a/machine",
    ]);
    expect(all[2]?.instances).toEqual([{ attributes: { cluster: "demo", access }, status: "tainted" }]);
    expect(all[3]?.instances).toEqual([{ attributes: { id: "i-1" }, deposed: "0" }]);
  });

  it("gives its access to the tool", () => {
    expect(clustersIn({ resources: all }).map((one) => [one.cluster, one.clientCaKey])).toEqual([["demo", "key"]]);
  });

  it("without an inventory, and others, stay as they are", () => {
    const plain = [cluster(null), { mode: "managed", type: "terraform_data", name: "x", instances: [{}] }];
    expect(withInside(plain)).toEqual(plain);
  });
});
