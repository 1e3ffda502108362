import { describe, expect, it } from "vitest";
import { chooseListen, handshakeLine, speaksProtocol6, startedByTerraform } from "../../../../provider/protocol/handshake.js";

describe("the handshake", () => {
  it("knows that terraform started it", () => {
    expect(startedByTerraform({})).toBe(false);
    expect(startedByTerraform({ TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2" })).toBe(true);
  });

  it.each([
    ["6", true],
    ["5,6", true],
    ["6,5", true],
    ["5", false],
    [undefined, true],
  ])("reads the set of versions %s", (versions, speaks) => {
    expect(speaksProtocol6(versions === undefined ? {} : { PLUGIN_PROTOCOL_VERSIONS: versions })).toBe(speaks);
  });

  it("sends the certificate without padding", () => {
    for (const size of [1, 2, 3, 4]) {
      const line = handshakeLine("/s", "unix", Buffer.alloc(size), {});
      expect(line).toMatch(/^1\|6\|unix\|\/s\|grpc\|[A-Za-z0-9+/]+\n$/);
      expect(line).not.toContain("=");
    }
  });

  it("has a seventh field only for cores that know of it", () => {
    expect(handshakeLine("/s", "unix", null, {}).split("|")).toHaveLength(6);
    expect(handshakeLine("/s", "unix", null, { PLUGIN_MULTIPLEX_GRPC: "true" }).split("|")).toHaveLength(7);
  });

  it("takes TCP where a socket's path would be too long", () => {
    expect(chooseListen({ PLUGIN_UNIX_SOCKET_DIR: `/tmp/${"x".repeat(100)}` })).toEqual({ network: "tcp", host: "127.0.0.1" });
  });

  it("takes TCP where the folder cannot be written", () => {
    expect(chooseListen({ PLUGIN_UNIX_SOCKET_DIR: "/proc/nowhere" }).network).toBe("tcp");
  });
});
