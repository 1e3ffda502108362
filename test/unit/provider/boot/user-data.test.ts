import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { MachineSpec } from "../../../../constructs/blueprint/machine-spec.js";
import { clusterDns } from "../../../../provider/boot/document.js";
import { workerToken } from "../../../../provider/boot/token.js";
import { overBudget, renderUserData } from "../../../../provider/boot/user-data.js";
import { createPki } from "../../../../provider/pki/create.js";

const made = createPki("demo", 24);
const bundle = JSON.stringify({
  uid: made.uid,
  ca_cert: made.ca.cert,
  ca_key: made.ca.key,
  client_ca_cert: made.clientCa.cert,
  client_ca_key: made.clientCa.key,
  etcd_ca_cert: made.etcdCa.cert,
  etcd_ca_key: made.etcdCa.key,
  front_proxy_ca_cert: made.frontProxyCa.cert,
  front_proxy_ca_key: made.frontProxyCa.key,
  sa_key: made.sa.key,
  sa_pub: made.sa.pub,
  token_seed: made.tokenSeed,
  leaf_hours: 24,
  ticket_not_after: "2026-12-01T00:00:00Z",
});
const spec = (role: MachineSpec["role"]): MachineSpec => ({
  cluster: "demo",
  pool: role === "worker" ? "w" : "cp",
  name: role === "worker" ? "demo-w-a-0" : "demo-cp-a",
  role,
  version: "1.36.3",
  template_epoch: 1,
  endpoint_name: "api.demo.honest.internal",
  endpoint_port: 6443,
  pod_ipv4_cidr: "10.244.0.0/16",
  service_ipv4_cidr: "10.96.0.0/16",
  cert_names: ["localhost"],
  component_flags: {},
  mirror_binaries: null,
  mirror_images: null,
  mirror_ca: null,
  shape: { instance_type: "small", image: "debian", root_disk_gib: 20 },
});
const late = (role: MachineSpec["role"]) => ({
  endpoint_address: "10.0.0.10",
  address: role === "worker" ? null : "10.0.0.11",
  etcd_disk: role === "worker" ? null : "honest-disk-1",
  pki: bundle,
  members: role === "worker" ? {} : { "demo-cp-a": "10.0.0.11", "demo-cp-b": "10.0.0.12", "demo-cp-c": "10.0.0.13" },
});
const render = (role: MachineSpec["role"], born = false) =>
  renderUserData({ spec: spec(role), late: late(role), taints: [], labels: {}, born }, "gzip_base64");
const textOf = (role: MachineSpec["role"], born = false): string => gunzipSync(Buffer.from(render(role, born).text, "base64")).toString();

describe("user-data", () => {
  it.each(["control-plane", "worker"] as const)("of a %s fits into 16 384 bytes", (role) => {
    const { bytes } = render(role);
    console.log(`user-data of a ${role}: ${bytes} bytes packed`);
    expect(bytes).toBeLessThanOrEqual(16_384);
  });

  it("is the same bytes for the same inputs, with no time and no operating system in them", () => {
    expect(render("worker").text).toBe(render("worker").text);
    const packed = Buffer.from(render("worker").text, "base64");
    expect([...packed.subarray(4, 8)]).toEqual([0, 0, 0, 0]);
    expect(packed[9]).toBe(0xff);
  });

  it("begins with the part that teaches cloud-init the others", () => {
    const text = textOf("worker");
    expect(text.indexOf("text/part-handler")).toBeLessThan(text.indexOf("text/x-honest-module"));
    expect(text).toContain("#part-handler\n");
  });

  it("gives a worker no key", () => {
    expect(textOf("worker")).not.toContain("PRIVATE KEY");
  });

  it("carries a ticket only until the cluster was born, and never for a worker", () => {
    expect(textOf("control-plane")).toContain('"not_after":"2026-12-01T00:00:00Z"');
    expect(textOf("control-plane", true)).toContain('"ticket":null');
    expect(textOf("worker")).toContain('"ticket":null');
  });

  it("says what used an exceeded budget", () => {
    expect(overBudget(render("control-plane"), 1000, "demo-cp-a")).toMatch(
      /demo-cp-a has \d+ bytes packed; this cloud takes 1000.*boot stage \d+, boot document \d+/,
    );
    expect(overBudget(render("control-plane"), 16_384, "demo-cp-a")).toBeUndefined();
  });
});

describe("workerToken", () => {
  it("has the form of a bootstrap token and depends on all its inputs", () => {
    const token = workerToken("00ff", "w", "r1");
    expect(token).toMatch(/^[0-9a-f]{6}\.[0-9a-f]{16}$/);
    expect(new Set([token, workerToken("00fe", "w", "r1"), workerToken("00ff", "x", "r1"), workerToken("00ff", "w", "r2")]).size).toBe(4);
  });
});

it.each([
  ["10.96.0.0/16", "10.96.0.10"],
  ["10.96.128.0/20", "10.96.128.10"],
  ["172.20.5.77/24", "172.20.5.10"],
])("finds the cluster's DNS in %s", (cidr, address) => {
  expect(clusterDns(cidr)).toBe(address);
});
