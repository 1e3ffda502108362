import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import type { Context } from "../../../../provider/framework/resource.js";
import { honestKubeconfig } from "../../../../provider/resources/honest-kubeconfig.js";
import { createCa } from "../../../support/stand-in/certificates.js";

const context = {} as Context;

it("has a certificate of its own for the asked user, groups and time", async () => {
  const ca = await createCa("clients");
  const access = { endpoint: "https://127.0.0.1:1", ca_bundle: "CA", client_ca_cert: ca.cert, client_ca_key: ca.key };
  const { result } = await honestKubeconfig.open(
    { config: { cluster: "demo", access, user: "ann", groups: ["ops", "dev"], ttl_minutes: 30 } },
    context,
  );
  const config = JSON.parse(String(result?.kubeconfig)) as {
    clusters: { name: string; cluster: Record<string, string> }[];
    users: { user: Record<string, string> }[];
    "current-context": string;
  };
  expect(config["current-context"]).toBe("ann@demo");
  expect(config.clusters[0]).toEqual({
    name: "demo",
    cluster: { server: "https://127.0.0.1:1", "certificate-authority-data": Buffer.from("CA").toString("base64") },
  });
  const certificate = new X509Certificate(Buffer.from(config.users[0]?.user["client-certificate-data"] ?? "", "base64"));
  expect(certificate.subject.split("\n").sort()).toEqual(["CN=ann", "O=dev", "O=ops"]);
  expect(certificate.verify(new X509Certificate(ca.cert).publicKey)).toBe(true);
  const minutes = (Date.parse(certificate.validTo) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(28);
  expect(minutes).toBeLessThanOrEqual(30);
});

it.each([0, 1.5, 1441, -1])("fails when it is to live for %s minutes", async (ttl_minutes) => {
  expect(await honestKubeconfig.validate?.({ config: { ttl_minutes } }, context)).toHaveLength(1);
});

it("marks the kubeconfig and the access as sensitive", () => {
  const { kubeconfig, access } = honestKubeconfig.schema.attributes;
  expect([kubeconfig?.sensitive, access?.sensitive]).toEqual([true, true]);
});
