// A control plane that goes back to a snapshot while its API server answers and has no etcd behind it.
import { expect, it } from "vitest";
import type { KubeClient } from "../../../../../provider/kube/client.js";
import { failed } from "../../../../../provider/kube/outcome.js";
import { deleteNode } from "../../../../../provider/resources/node/delete.js";
import { testContext } from "../../../../support/context.js";

const broken = async () => failed({ kind: "status", status: 500, reason: "InternalError", message: "etcdserver: no leader" });
const client = { list: broken, get: broken } as unknown as KubeClient;

const destroy = (marks: object) => {
  const context = testContext();
  const once = <T>(key: string, make: () => T): T => (key.startsWith("cluster/client/") ? (client as T) : context.once(key, make));
  return deleteNode(
    {
      prior: {
        ...{ cluster: "demo", name: "a", role: "control-plane", pool: "cp", vm_id: "i-a", release: "r1", members: ["a"] },
        ...{ token_seed: "00", membership: "member", gen: "g", timeouts: { delete: "1s" } },
        access: { endpoint: "https://x", ca_bundle: "", client_ca_cert: "", client_ca_key: "" },
      },
      private: { how: "replace", gen: "g", complete: true, members: ["a"], ...marks },
    },
    { ...context, once },
  );
};

it("goes, since what it holds is given up", async () => {
  expect(await destroy({ restoring: true })).toEqual({ state: null });
});

it("stays when the plan is no restore", async () => {
  const { state, diagnostics } = await destroy({});
  expect(state).not.toBeNull();
  expect(diagnostics?.[0]?.detail).toContain("etcdserver: no leader");
});
