import { expect, it } from "vitest";
import { candidatePorts, isPortTaken } from "../../../../provider/engine/balancer-port.js";
import { EngineError } from "../../../../provider/engine/error.js";

it("tries the same ports for the same name, all in the range and none twice", () => {
  const ports = [...candidatePorts("demo-api")];
  expect([...candidatePorts("demo-api")]).toEqual(ports);
  expect([...candidatePorts("other-api")]).not.toEqual(ports);
  expect(new Set(ports).size).toBe(50);
  expect(ports.every((port) => port >= 20_000 && port < 30_000)).toBe(true);
});

it.each([
  ["driver failed programming external connectivity on endpoint x: Bind for 127.0.0.1:20001 failed: port is already allocated", true],
  ["Error starting userland proxy: listen tcp4 127.0.0.1:20001: bind: address already in use", true],
  ["ports are not available: exposing port TCP 127.0.0.1:20001", true],
  ["Address already in use", false],
  ["no space left on device", false],
])("%s", (detail, taken) => {
  expect(isPortTaken(new EngineError("answer", { what: "x", detail }))).toBe(taken);
  expect(isPortTaken(new Error(detail))).toBe(false);
});
