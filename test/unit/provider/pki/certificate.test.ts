import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { expiryOf, issueCertificate } from "../../../../provider/pki/certificate.js";
import { createPki } from "../../../../provider/pki/create.js";
import { time } from "../../../../provider/pki/der.js";
import { issueClient } from "../../../../provider/pki/issue.js";

const hour = 3_600_000;

describe("authorities", () => {
  it("are CAs of their own with their own keys, and live as long as asked", () => {
    const made = createPki("demo", 24, new Date("2026-11-30T00:00:00Z"));
    const authorities = [made.ca, made.clientCa, made.etcdCa, made.frontProxyCa];
    for (const { cert, key } of authorities) {
      const parsed = new X509Certificate(cert);
      expect(parsed.ca).toBe(true);
      expect(parsed.verify(parsed.publicKey)).toBe(true);
      expect(parsed.checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(expiryOf(cert).toISOString()).toBe("2026-12-01T00:00:00.000Z");
    }
    expect(new Set(authorities.map((a) => a.key)).size).toBe(4);
    expect(made.tokenSeed).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("a client certificate", () => {
  it("is signed by its CA, names the person and its groups, and is no CA", async () => {
    const { clientCa, ca } = createPki("demo", 24);
    const issued = await issueClient({
      caCert: clientCa.cert,
      caKey: clientCa.key,
      commonName: "anna",
      organizations: ["ops", "dev"],
      minutes: 10,
    });
    const parsed = new X509Certificate(issued.cert);
    expect(parsed.checkIssued(new X509Certificate(clientCa.cert))).toBe(true);
    expect(parsed.verify(new X509Certificate(clientCa.cert).publicKey)).toBe(true);
    expect(parsed.verify(new X509Certificate(ca.cert).publicKey)).toBe(false);
    expect(parsed.subject.split("\n").sort()).toEqual(["CN=anna", "O=dev", "O=ops"]);
    expect(parsed.ca).toBe(false);
    const left = Date.parse(parsed.validTo) - Date.now();
    expect(left).toBeGreaterThan(8 * 60_000);
    expect(left).toBeLessThanOrEqual(10 * 60_000);
  });

  it("matches an issuer's name byte for byte, also one with other letters", () => {
    const now = Date.now();
    const dates = { notBefore: new Date(now - hour), notAfter: new Date(now + hour) };
    const ca = issueCertificate({ subject: { commonName: "Bürger & Söhne" }, ...dates });
    const leaf = issueCertificate({ subject: { commonName: "x" }, ...dates, issuer: ca });
    expect(new X509Certificate(leaf.cert).checkIssued(new X509Certificate(ca.cert))).toBe(true);
  });
});

it("writes times after 2049 in four digits", () => {
  expect(time(new Date("2049-12-31T23:59:59Z"))[0]).toBe(0x17);
  expect(time(new Date("2050-01-01T00:00:00Z"))[0]).toBe(0x18);
});
