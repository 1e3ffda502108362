import { afterEach, describe, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { runHelper, sweepHelpers } from "../../../../provider/engine/helper-container.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { type FakeTable, fakeDocker, message } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});
const engine = async (table: FakeTable) => {
  const fake = await fakeDocker({
    "GET /containers/json": { json: [] },
    "POST /containers/create": { json: { Id: "h" } },
    "POST /containers/*/start": { status: 204 },
    "POST /containers/*/wait": { json: { StatusCode: 0 } },
    "GET /containers/*/logs": { bytes: Buffer.from([1, 0, 0, 0, 0, 0, 0, 2, 111, 107]) },
    "GET /containers/*/json": message(404, "No such container"),
    "DELETE /containers/*": { status: 204 },
    ...table,
  });
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return { fake, core, made: () => fake.calls().filter((call) => call === "POST /containers/create").length };
};
const task = { cluster: "demo", image: "img", script: "true" };
const failsOnce = (answer: ReturnType<typeof message>, then: { status?: number; json?: unknown; bytes?: Uint8Array }) => {
  let n = 0;
  return () => (n++ === 0 ? answer : then);
};

describe("a helper that another process takes away", () => {
  it.each<[string, FakeTable]>([
    ["before it starts", { "POST /containers/*/start": failsOnce(message(404, "No such container"), { status: 204 }) }],
    ["as it starts", { "POST /containers/*/start": failsOnce(message(409, "container is marked for removal"), { status: 204 }) }],
    [
      "before it told its end",
      { "GET /containers/*/logs": failsOnce(message(404, "gone"), { bytes: Buffer.from([1, 0, 0, 0, 0, 0, 0, 2, 111, 107]) }) },
    ],
  ])("%s is run again", async (_, table) => {
    const { core, made } = await engine(table);
    expect(await runHelper(core, task)).toEqual({ code: 0, stdout: "ok", stderr: "" });
    expect(made()).toBe(2);
  });

  it("each time is an error that says so", async () => {
    const { core, made } = await engine({ "POST /containers/*/wait": message(404, "No such container") });
    await expect(runHelper(core, task)).rejects.toThrow(/taken away: 3 containers one after the other, named demo-helper-…/);
    expect(made()).toBe(3);
  });

  it("an error of one that is there is not tried again", async () => {
    const { core, made } = await engine({
      "POST /containers/*/start": message(500, "no space left on device"),
      "GET /containers/*/json": { json: { State: { Status: "created" } } },
    });
    await expect(runHelper(core, task)).rejects.toThrow(/no space left/);
    expect(made()).toBe(1);
  });
});

describe("sweepHelpers", () => {
  const row = (Id: string, change: { State?: string; age?: number; run?: string; name?: string }) => ({
    Id,
    State: change.State ?? "exited",
    Created: Math.floor(Date.now() / 1000) - (change.age ?? 0),
    Labels: { "honest-paas.dev/run": change.run ?? "another", "honest-paas.dev/name": change.name ?? Id },
  });
  const removed = (calls: readonly string[]) => calls.filter((call) => call.startsWith("DELETE")).map((call) => call.split("/")[2]);

  it("takes what other runs have left, not what may still be theirs", async () => {
    const { fake, core } = await engine({
      "GET /containers/json": {
        json: [
          row("ended", { age: 5 }),
          row("fresh", { State: "created" }),
          row("busy", { State: "running", age: 60 }),
          row("stuck", { State: "running", age: 200 }),
        ],
      },
    });
    await sweepHelpers(core, "demo");
    expect(removed(fake.calls())).toEqual(["ended", "stuck"]);
  });

  it("leaves its own alone while it waits for it, however old the engine's clock makes it; not the one that it lost", async () => {
    let mine: { run: string; name: string } | undefined;
    const { fake, core } = await engine({
      "POST /containers/create": (request) => {
        mine = {
          run: request.json<{ Labels: Record<string, string> }>().Labels["honest-paas.dev/run"] ?? "",
          name: request.query.get("name") ?? "",
        };
        return { json: { Id: "h" } };
      },
      "GET /containers/json": () => ({
        json: mine ? [row("own", { ...mine, State: "running", age: 500 }), row("lost", { run: mine.run, name: "lost", age: 0 })] : [],
      }),
      "POST /containers/*/wait": { hang: true },
    });
    const stop = new AbortController();
    const running = runHelper(core.withSignal(stop.signal), task);
    await expect.poll(() => fake.calls().some((call) => call.endsWith("/wait"))).toBe(true);
    await sweepHelpers(core, "demo");
    expect(removed(fake.calls())).toEqual(["lost"]);
    stop.abort();
    await expect(running).rejects.toMatchObject({ kind: "stopped" });
  });
});
