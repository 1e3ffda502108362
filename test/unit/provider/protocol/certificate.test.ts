import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { describe, expect, it } from "vitest";
import { createServerCertificate, pem } from "../../../../provider/protocol/certificate.js";

describe("the server's certificate", () => {
  it("is what go-plugin's client trusts: a CA of its own that names localhost", () => {
    const made = createServerCertificate();
    const parsed = new X509Certificate(made.certPem);
    expect(parsed.ca).toBe(true);
    expect(parsed.checkHost("localhost")).toBe("localhost");
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(Date.parse(parsed.validTo) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(Buffer.compare(parsed.raw, made.der)).toBe(0);
  });

  it("is a PEM that OpenSSL takes, whatever the length of its signature", () => {
    for (let i = 0; i < 60; i += 1) {
      const made = createServerCertificate();
      expect(made.certPem).not.toMatch(/\n\n/);
      createSecureContext({ cert: made.certPem, key: made.keyPem });
    }
  });

  it.each([0, 1, 47, 48, 49, 96])("wraps %d bytes without an empty line", (length) => {
    expect(
      pem("X", Buffer.alloc(length))
        .split("\n")
        .slice(1, -2)
        .every((line) => line.length > 0 || length === 0),
    ).toBe(true);
  });
});
