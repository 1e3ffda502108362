import { beforeEach, describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../provider/kube/client.js";
import { grantSecret, writeAddresses } from "../../../../provider/kube/grants.js";
import { connectedCluster } from "../../../support/connected-cluster.js";
import type { StandIn } from "../../../support/stand-in-cluster.js";

it("is a bootstrap token of an hour for one name and one machine", () => {
  const now = Date.parse("2026-06-01T12:00:00.500Z");
  const secret = grantSecret({ nodeName: "w-1", machineId: "i-1", tokenId: "abcdef", tokenSecret: "0123456789abcdef" }, now);
  expect(secret).toMatchObject({
    type: "bootstrap.kubernetes.io/token",
    metadata: {
      name: "bootstrap-token-abcdef",
      namespace: "kube-system",
      annotations: { "honest-paas.dev/node": "w-1", "honest-paas.dev/machine-id": "i-1" },
    },
  });
  const data = Object.fromEntries(
    Object.entries(secret.data as Record<string, string>).map(([k, v]) => [k, Buffer.from(v, "base64").toString()]),
  );
  expect(data).toMatchObject({
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    expiration: "2026-06-01T13:00:00Z",
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": "system:bootstrappers:honest-paas",
  });
});

describe("addresses", () => {
  let cluster: StandIn;
  let client: KubeClient;
  beforeEach(async () => {
    const made = await connectedCluster();
    ({ cluster, client } = made);
    return made.close;
  });
  const book = () => cluster.object("api/v1/configmaps", "honest-paas-addresses", "kube-system")?.data;

  it("of one name come and go, those of others stay", async () => {
    await writeAddresses(client, { a: ["10.0.0.1"], gone: null });
    await writeAddresses(client, { b: ["10.0.0.2", "10.0.0.3"] });
    expect(book()).toEqual({ a: '["10.0.0.1"]', b: '["10.0.0.2","10.0.0.3"]' });
    await writeAddresses(client, { a: null });
    expect(book()).toEqual({ b: '["10.0.0.2","10.0.0.3"]' });
  });

  it("written at once by many are all there", async () => {
    await Promise.all(["a", "b", "c", "d"].map((name) => writeAddresses(client, { [name]: ["10.0.0.1"] })));
    expect(Object.keys(book() as object).sort()).toEqual(["a", "b", "c", "d"]);
  });
});
