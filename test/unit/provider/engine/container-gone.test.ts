// Containers that go while they are looked at. The engine's answers are those of a real one during a removal.
import { afterEach, describe, expect, it } from "vitest";
import { hasFile, putFiles, readMachineFile } from "../../../../provider/engine/archive.js";
import { waitGone } from "../../../../provider/engine/container-gone.js";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { machineConsole } from "../../../../provider/engine/logs.js";
import { type FakeTable, fakeDocker, message } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});
const engine = async (table: FakeTable) => {
  const fake = await fakeDocker(table);
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return { fake, core };
};
const state = (Status: string) => ({ json: { State: { Status }, Config: { Tty: true } } });
const gone = message(404, "No such container: c1");
/** One answer after the other, the last for ever. */
const inTurn = (...answers: readonly (typeof gone)[]) => {
  let n = 0;
  return () => answers[Math.min(n++, answers.length - 1)] ?? gone;
};
const torn = message(500, "error processing tar file: Error after fallback to chroot: no such file or directory: exit status 1");
const nil = message(500, "RWLayer of container c1 is unexpectedly nil");

describe.each([
  ["it is gone by then", inTurn(gone)],
  ["it is being removed", inTurn(state("removing"), state("removing"), gone)],
  ["its removal failed half-way and somebody ended it", inTurn(state("dead"), gone)],
])("an error while %s means that it is not there", (_, look) => {
  it.each([torn, nil])("%j", async (answer) => {
    const { core } = await engine({
      "GET /containers/c1/archive": answer,
      "HEAD /containers/c1/archive": { status: 500 },
      "PUT /containers/c1/archive": answer,
      "GET /containers/c1/json": look,
    });
    expect(await readMachineFile(core, "c1", "/disks.json")).toBeNull();
    expect(await hasFile(core, "c1", "/claim")).toBe(false);
    await expect(putFiles(core, "c1", [{ path: "/claim", content: "" }])).rejects.toMatchObject({
      what: "The container is gone",
      status: 404,
    });
  });
});

it.each(["running", "exited", "created", "paused"])("an error while it is %s is an error", async (status) => {
  const { core } = await engine({
    "GET /containers/c1/archive": torn,
    "HEAD /containers/c1/archive": { status: 500 },
    "PUT /containers/c1/archive": torn,
    "GET /containers/c1/json": state(status),
  });
  await expect(readMachineFile(core, "c1", "/disks.json")).rejects.toThrow(/error processing tar file/);
  await expect(hasFile(core, "c1", "/claim")).rejects.toMatchObject({ status: 500 });
  await expect(putFiles(core, "c1", [{ path: "/claim", content: "" }])).rejects.toMatchObject({ status: 500 });
});

it("an engine that does not answer never means that it is gone", async () => {
  const { core } = await engine({ "GET /containers/c1/archive": torn, "GET /containers/c1/json": { cut: true } });
  await expect(readMachineFile(core, "c1", "/disks.json")).rejects.toMatchObject({ kind: "unreachable" });
});

it("the console of one that goes meanwhile is empty", async () => {
  const { core } = await engine({
    "GET /containers/c1/json": inTurn(state("running"), gone),
    "GET /containers/c1/logs": message(409, "can not get logs from container which is dead or marked for removal"),
  });
  expect(await machineConsole(core, "c1")).toBe("");
});

it("waits no longer than it is told", async () => {
  const { core } = await engine({ "GET /containers/c1/json": state("dead") });
  expect(await waitGone(core, "c1", 0.2)).toBe(false);
});
