import { expect, it } from "vitest";
import { mergeKubeconfig, renderKubeconfig } from "../../../../../provider/cli/kubeconfig/render.js";

const access = {
  cluster: "demo",
  endpoint: "https://127.0.0.1:26443",
  caBundle: "CA",
  clientCaCert: "c",
  clientCaKey: "secret",
  serverName: null,
};

it("tells kubectl by which name the certificate is checked, where the address is not in it", () => {
  const of = (serverName: string | null) =>
    JSON.stringify(renderKubeconfig({ ...access, serverName }, "admin", { cert: "C", key: "K" }).clusters);
  expect(of("api.demo.honest.internal")).toContain('"tls-server-name":"api.demo.honest.internal"');
  expect(of(null)).not.toContain("tls-server-name");
});

it("holds no key when kubectl asks for one", () => {
  const made = renderKubeconfig(access, "admin", { command: "node", args: ["cli", "credential"] });
  expect(JSON.stringify(made)).not.toContain("secret");
  expect(made).toMatchObject({
    clusters: [{ name: "demo", cluster: { server: "https://127.0.0.1:26443" } }],
    users: [{ name: "admin@demo", user: { exec: { command: "node", interactiveMode: "Never" } } }],
    contexts: [{ name: "demo", context: { cluster: "demo", user: "admin@demo" } }],
    "current-context": "demo",
  });
});

it("embeds certificate and key when asked", () => {
  const made = renderKubeconfig(access, "ci", { cert: "CERT", key: "KEY" });
  expect(made.users).toEqual([
    {
      name: "ci@demo",
      user: { "client-certificate-data": Buffer.from("CERT").toString("base64"), "client-key-data": Buffer.from("KEY").toString("base64") },
    },
  ]);
});

it("replaces its own entries in a file and keeps the others", () => {
  const other = { name: "other", cluster: { server: "https://other" } };
  const existing = {
    clusters: [{ name: "demo", cluster: { server: "https://old" } }, other],
    users: null,
    contexts: [],
    "current-context": "other",
    preferences: { colors: true },
  };
  const merged = mergeKubeconfig(existing, renderKubeconfig(access, "admin", { cert: "C", key: "K" }));
  expect(merged.clusters).toMatchObject([other, { name: "demo", cluster: { server: "https://127.0.0.1:26443" } }]);
  expect(merged).toMatchObject({ kind: "Config", "current-context": "demo", preferences: { colors: true } });
});
