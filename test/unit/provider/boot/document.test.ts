import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { releaseOf } from "../../../../constructs/blueprint/machine-spec.js";
import { bootDocument, clusterDns, type DocumentInputs, parsePki } from "../../../../provider/boot/document.js";
import { controlPlane, pkiText, spec, worker } from "./inputs.js";

const schema = JSON.parse(readFileSync(new URL("../../../../provider/boot/boot.schema.json", import.meta.url), "utf8")) as object;
// strictTypes off: a conditional schema names properties whose type stands elsewhere
const valid = new Ajv({ allErrors: true, strictTypes: false, strictRequired: false, formats: { "date-time": true } }).compile(schema);
const runtime = { etcd: "3.6.16", containerd: "2.2.0", runc: "1.4.0", cni: "1.9.0", coredns: "v1.14.2", pause: "3.10.2" };
const made = (inputs: Omit<DocumentInputs, "runtime">) =>
  bootDocument({ ...inputs, runtime }) as Record<string, Record<string, unknown> | null>;

describe("schema", () => {
  it.each([
    ["a control plane at birth", controlPlane()],
    ["a control plane later", controlPlane({ born: true })],
    ["a worker", worker()],
    [
      "mirrors and flags",
      worker({
        spec: spec({ name: "demo-w-a-0", role: "worker", mirror_binaries: "http://m", mirror_images: "http://m", mirror_ca: "PEM" }),
      }),
    ],
  ])("holds for %s", (_what, inputs) => {
    valid(made(inputs));
    expect(valid.errors).toBeNull();
  });

  it.each([
    ["a worker with a CA key", () => ({ ...made(worker()), pki: { ...made(worker()).pki, ca_key: made(controlPlane()).pki?.ca_key } })],
    ["a worker with a ticket", () => ({ ...made(worker()), ticket: made(controlPlane()).ticket })],
    ["a control plane without a disk", () => ({ ...made(controlPlane()), etcd: null })],
    ["a control plane without a fixed address", () => ({ ...made(controlPlane()), address: null })],
    ["an attribute that nobody knows", () => ({ ...made(worker()), extra: 1 })],
  ])("fails for %s", (_what, make) => {
    expect(valid(make())).toBe(false);
  });
});

describe("document", () => {
  it("gives a worker no key at all, and a token that is its own", () => {
    const text = JSON.stringify(made(worker()));
    expect(text).not.toMatch(/PRIVATE KEY/);
    expect(Object.keys(made(worker()).pki ?? {})).toEqual(["ca_cert", "client_ca_cert"]);
    expect(made(worker()).join?.token).toMatch(/^[0-9a-f]{6}\.[0-9a-f]{16}$/);
    expect(JSON.stringify(made(controlPlane()))).not.toContain(parsePki(pkiText)?.token_seed);
    expect(text).not.toContain(parsePki(pkiText)?.token_seed);
  });

  it("carries a ticket only while the cluster is not born", () => {
    expect(made(controlPlane()).ticket).toEqual({ cluster_uid: parsePki(pkiText)?.uid, not_after: "2026-12-01T03:00:00Z" });
    expect(made(controlPlane({ born: true })).ticket).toBeNull();
    expect(made(worker({ born: false })).ticket).toBeNull();
  });

  it("names the disk, not its path, and its release", () => {
    expect(made(controlPlane()).etcd).toEqual({ disk: "honest-disk-0123456789", number: 0 });
    expect(made(controlPlane()).node?.release).toBe(releaseOf(spec()));
  });

  it.each([
    ["10.96.0.0/16", "10.96.0.10"],
    ["172.20.255.128/25", "172.20.255.138"],
    ["192.168.3.77/24", "192.168.3.10"],
    ["240.0.0.0/4", "240.0.0.10"],
  ])("the cluster's DNS of %s is %s", (cidr, address) => {
    expect(clusterDns(cidr)).toBe(address);
  });
});

it.each([["no JSON"], ["null"], ["[]"], [JSON.stringify({ ca_cert: "x" })]])("%s is no bundle", (text) => {
  expect(parsePki(text)).toBeUndefined();
});
