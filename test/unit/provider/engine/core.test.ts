import { afterEach, describe, expect, it } from "vitest";
import { type Core, chooseVersion, createCore } from "../../../../provider/engine/core.js";
import { EngineError } from "../../../../provider/engine/error.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { type FakeDocker, type FakeTable, fakeDocker, message } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
const engine = async (table: FakeTable): Promise<{ core: Core; fake: FakeDocker }> => {
  const fake = await fakeDocker(table);
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return { core, fake };
};
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});
const failure = async (work: Promise<unknown>): Promise<EngineError> => {
  const cause = await work.then(() => null).catch((c: unknown) => c);
  expect(cause).toBeInstanceOf(EngineError);
  return cause as EngineError;
};

describe("API version", () => {
  it.each([
    ["1.41", "1.12", "/v1.41"],
    ["1.45", "1.24", "/v1.45"],
    ["1.52", "1.44", "/v1.45"],
    ["1.60", "1.50", "/v1.50"],
    ["2.0", "1.99", "/v1.99"],
  ])("server %s, at least %s: %s", (ApiVersion, MinAPIVersion, wanted) => {
    expect(chooseVersion({ ApiVersion, MinAPIVersion }, "unix:///d")).toBe(wanted);
  });

  it("fails when the engine is too old, and says which will do", () => {
    expect(() => chooseVersion({ ApiVersion: "1.40" }, "unix:///d")).toThrow(/too old.*speaks API 1.40; 1.41 or newer/);
  });

  it("is asked once, and is in every path", async () => {
    const { core, fake } = await engine({ "GET /info": { json: {} } });
    await Promise.all([core.json("/info"), core.json("/info"), core.withSignal(AbortSignal.timeout(5000)).json("/info")]);
    expect(fake.seen.filter((r) => r.path === "/version")).toHaveLength(1);
  });

  it("is asked again after it failed", async () => {
    let first = true;
    const { core } = await engine({
      "GET /info": { json: { ok: true } },
      "GET /version": () => {
        const answer = first ? message(500, "starting") : { json: { ApiVersion: "1.41" } };
        first = false;
        return answer;
      },
    });
    await failure(core.json("/info"));
    expect(await core.json("/info")).toEqual({ ok: true });
  });
});

describe("answers", () => {
  it("gives the engine's own words and status", async () => {
    const { core } = await engine({ "GET /x": message(409, "it is busy"), "GET /y": { status: 500, bytes: Buffer.from("plain words") } });
    expect(await failure(core.json("/x"))).toMatchObject({ kind: "answer", status: 409, detail: "it is busy" });
    expect(await failure(core.json("/y"))).toMatchObject({ status: 500, detail: "plain words" });
  });

  it("takes 404 for gone in find and drop, and a removal under way too", async () => {
    const { core } = await engine({
      "GET /x": message(404, "no"),
      "DELETE /x": message(404, "no"),
      "DELETE /y": message(409, "removal of container y is already in progress"),
      "DELETE /z": message(409, "volume is in use"),
      "DELETE /w": { status: 204 },
    });
    expect(await core.find("/x")).toBeNull();
    expect([await core.drop("/x"), await core.drop("/y"), await core.drop("/w")]).toEqual([false, false, true]);
    expect((await failure(core.drop("/z"))).status).toBe(409);
  });
});

describe("silence", () => {
  it("fails when the socket does not exist, as unreachable and never as gone", async () => {
    const core = createCore(parseHost("unix:///nowhere/docker.sock", {}));
    open.push(core);
    expect(await failure(core.find("/x"))).toMatchObject({ kind: "unreachable", what: "No Docker engine answers" });
    expect((await failure(core.drop("/x"))).detail).toContain("its socket does not exist");
  });

  it("fails when nothing listens", async () => {
    const core = createCore(parseHost("tcp://127.0.0.1:1", {}));
    open.push(core);
    expect((await failure(core.find("/x"))).detail).toContain("nothing listens there");
  });

  it("fails when the connection is cut", async () => {
    const { core } = await engine({ "GET /x": { cut: true } });
    expect((await failure(core.find("/x"))).kind).toBe("unreachable");
  });

  it("ends when the signal is raised", async () => {
    const { core } = await engine({ "GET /x": { hang: true } });
    const controller = new AbortController();
    const waiting = failure(core.withSignal(controller.signal).json("/x"));
    setTimeout(() => controller.abort(), 50);
    expect((await waiting).kind).toBe("stopped");
  });
});

describe("lock", () => {
  it("lets one at a time in, in order, and goes on after a failure", async () => {
    const { core } = await engine({});
    const seen: string[] = [];
    const work =
      (name: string, fails = false) =>
      async (): Promise<void> => {
        seen.push(`${name} begins`);
        await new Promise((wake) => setTimeout(wake, 5));
        seen.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    const all = [
      core.lock("k", work("a", true)),
      core.lock("k", work("b")),
      core.withSignal(AbortSignal.timeout(5000)).lock("k", work("c")),
    ];
    expect((await Promise.allSettled(all)).map((r) => r.status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });
});
