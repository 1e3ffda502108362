import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseHost } from "../../../../provider/engine/host.js";

const folder = mkdtempSync(join(tmpdir(), "hp-tls-"));
for (const file of ["ca.pem", "cert.pem", "key.pem"]) writeFileSync(join(folder, file), file);
afterAll(() => rmSync(folder, { recursive: true }));

describe("parseHost", () => {
  it.each([
    ["unix:///var/run/docker.sock", { origin: "http://docker", socketPath: "/var/run/docker.sock" }],
    ["tcp://10.0.0.1:2375", { origin: "http://10.0.0.1:2375" }],
    ["tcp://10.0.0.1:2375/", { origin: "http://10.0.0.1:2375" }],
    ["http://engine:2375", { origin: "http://engine:2375" }],
    ["https://engine:2376", { origin: "https://engine:2376" }],
    ["npipe:////./pipe/docker_engine", { origin: "http://docker", socketPath: "\\\\.\\pipe\\docker_engine" }],
  ])("%s", (host, wanted) => {
    expect(parseHost(host, {})).toEqual({ host, ...wanted });
  });

  it("speaks TLS to a tcp host when DOCKER_CERT_PATH is set", () => {
    const address = parseHost("tcp://engine:2376", { DOCKER_CERT_PATH: folder });
    expect(address.origin).toBe("https://engine:2376");
    expect(address.tls?.ca.toString()).toBe("ca.pem");
  });

  it("does not use TLS files for a socket", () => {
    expect(parseHost("unix:///d.sock", { DOCKER_CERT_PATH: folder }).tls).toBeUndefined();
  });

  it.each([
    ["/var/run/docker.sock", /has no scheme/],
    ["", /has no scheme/],
    ["ftp://x", /"ftp" is not known/],
    ["tcp://a b", /not an address/],
    ["ssh://me@host", /over ssh/],
  ])("fails when the host is %j", (host, words) => {
    expect(() => parseHost(host, {})).toThrow(words);
  });

  it("fails when a TLS file is missing, and names it", () => {
    expect(() => parseHost("tcp://x:2376", { DOCKER_CERT_PATH: "/nowhere" })).toThrow(
      /ca\.pem.*DOCKER_CERT_PATH|DOCKER_CERT_PATH.*ca\.pem/,
    );
  });
});
