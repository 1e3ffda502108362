import { execFileSync } from "node:child_process";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expiryOf, issueCertificate } from "../../../../provider/pki/certificate.js";
import { createPki } from "../../../../provider/pki/create.js";
import { issueClient } from "../../../../provider/pki/issue.js";
import { openWorld } from "../../../support/open-world.js";

// openssl is the judge of what openssl, etcd and Kubernetes will say
openWorld("processes");

const pki = createPki("demo", 87_600, 0, new Date("2026-11-30T00:00:00Z"));
const authorities = [pki.ca, pki.clientCa, pki.etcdCa, pki.frontProxyCa];
const client = await issueClient({
  caCert: pki.clientCa.cert,
  caKey: pki.clientCa.key,
  commonName: "honest-paas:provider",
  organizations: ["system:masters", "zweite Ä"],
  minutes: 10,
});

describe("authorities", () => {
  it("are four, each with its own key, self-signed, CA, ten years", () => {
    expect(new Set(authorities.map((ca) => ca.key)).size).toBe(4);
    for (const { cert, key } of authorities) {
      const x509 = new X509Certificate(cert);
      expect(x509.ca).toBe(true);
      expect(x509.checkIssued(x509)).toBe(true);
      expect(x509.verify(x509.publicKey)).toBe(true);
      expect(x509.checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(expiryOf(cert)).toEqual(new Date("2036-11-27T00:00:00Z"));
    }
  });

  it("can end after 2049, where the date has another form", () => {
    const [start, end] = [new Date("2049-12-31T23:59:59Z"), new Date("2126-01-01T00:00:00Z")];
    const x509 = new X509Certificate(issueCertificate({ subject: { commonName: "x" }, notBefore: start, notAfter: end }).cert);
    expect([new Date(x509.validFrom), new Date(x509.validTo)]).toEqual([start, end]);
  });

  it("have service-account keys that belong together", () => {
    const derived = createPublicKey(createPrivateKey(pki.sa.key)).export({ type: "spki", format: "pem" });
    expect(derived).toBe(pki.sa.pub);
    expect(pki.tokenSeed).toMatch(/^[0-9a-f]{64}$/);
    expect(pki.uid).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("are never the same twice", () => {
    const other = createPki("demo", 87_600);
    expect(other.uid).not.toBe(pki.uid);
    expect(other.ca.key).not.toBe(pki.ca.key);
  });
});

describe("client certificates", () => {
  it("live minutes, begin a little early, and name who", () => {
    const x509 = new X509Certificate(client.cert);
    expect(x509.subject).toBe("O=system:masters\nO=zweite Ä\nCN=honest-paas:provider");
    expect(x509.ca).toBe(false);
    const life = new Date(x509.validTo).getTime() - new Date(x509.validFrom).getTime();
    expect(life).toBe(15 * 60_000);
    expect(x509.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  });

  it("have serial numbers of their own that are positive", () => {
    const serials = Array.from(
      { length: 50 },
      () => issueCertificate({ subject: { commonName: "x" }, notBefore: new Date(), notAfter: new Date() }).cert,
    ).map((cert) => new X509Certificate(cert).serialNumber);
    expect(new Set(serials).size).toBe(50);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });

  it("names of any length fit", () => {
    for (const length of [1, 60, 64, 100, 200, 300]) {
      const { cert } = issueCertificate({ subject: { commonName: "n".repeat(length) }, notBefore: new Date(), notAfter: new Date() });
      expect(new X509Certificate(cert).subject).toBe(`CN=${"n".repeat(length)}`);
    }
  });
});

describe("openssl", () => {
  let dir = "";
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const openssl = (...args: readonly string[]): string => execFileSync("openssl", args, { encoding: "utf8", stdio: "pipe" });
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "hp-pki-"));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it("verifies the chain under its strictest rules", () => {
    const [ca, leaf] = [file("ca.pem", pki.clientCa.cert), file("leaf.pem", client.cert)];
    expect(openssl("verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", ca, leaf)).toMatch(/OK/);
  });

  it("reads the keys, which carry no public half, and signs with them", () => {
    const [ca, key] = [file("ca.pem", pki.ca.cert), file("ca.key", pki.ca.key)];
    expect(openssl("pkey", "-in", key, "-pubout")).toBe(openssl("x509", "-in", ca, "-noout", "-pubkey"));
    const [own, request, made] = [join(dir, "own.key"), join(dir, "own.csr"), join(dir, "own.pem")];
    openssl(
      "req",
      "-new",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-keyout",
      own,
      "-subj",
      "/CN=kube-apiserver",
      "-out",
      request,
    );
    openssl("x509", "-req", "-in", request, "-CA", ca, "-CAkey", key, "-CAcreateserial", "-days", "1", "-out", made);
    expect(openssl("verify", "-CAfile", ca, made)).toMatch(/OK/);
  });
});
