import { afterEach, expect, it } from "vitest";
import { candidatePorts, isPortTaken, portTaken } from "../../../../provider/engine/balancer-port.js";
import { createCore } from "../../../../provider/engine/core.js";
import { EngineError } from "../../../../provider/engine/error.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { fakeDocker } from "../../../support/fake-docker.js";

const things: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of things.splice(0)) await thing.close();
});

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

const labels = { "honest-paas.dev/owner": "honest-paas", "honest-paas.dev/cluster": "other", "honest-paas.dev/kind": "balancer" };
it.each([
  [
    "another cluster's balancer",
    [{ Names: ["/other-api"], Labels: labels, Ports: [{ PublicPort: 20_001 }] }],
    'the container "other-api" publishes it; its labels say: balancer of the cluster "other"',
  ],
  [
    "a foreign container",
    [{ Names: ["/web"], Labels: {}, Ports: [{ PublicPort: 20_001 }] }],
    'the container "web" publishes it; it does not carry our labels',
  ],
  [
    "a process",
    [{ Names: ["/web"], Labels: {}, Ports: [{ PublicPort: 1 }, {}] }],
    "a process of the engine's host listens there (ss -ltnp 'sport = :20001' shows it)",
  ],
])("names who has the port, and how to choose another: %s", async (_case, rows, words) => {
  const fake = await fakeDocker({ "GET /containers/json": { json: rows } });
  const core = createCore(parseHost(fake.host, {}));
  things.push(core, fake);
  const told = await portTaken(core, "127.0.0.1", 20_001, new EngineError("answer", { what: "x", detail: "port is already allocated" }));
  expect(told.detail).toContain(words);
  expect(told.fix).toContain("published_port");
});
