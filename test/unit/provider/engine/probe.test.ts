import { afterEach, describe, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { findGrant, grantFlags, probe } from "../../../../provider/engine/probe.js";
import { type FakeRequest, type FakeTable, fakeDocker, message } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});
const engine = async (table: FakeTable) => {
  const fake = await fakeDocker({ "POST /containers/create": { json: { Id: "x" } }, "DELETE /containers/*": { status: 204 }, ...table });
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return { fake, core };
};

describe("probe", () => {
  it.each([
    ["1", 1],
    ["2", 2],
    [undefined, 1],
  ])("cgroup version %s", async (CgroupVersion, cgroupVersion) => {
    const info = {
      ServerVersion: "20.10",
      CgroupVersion,
      Architecture: "x86_64",
      NCPU: 2,
      MemTotal: 1,
      SecurityOptions: ["name=rootless"],
    };
    const { core } = await engine({ "GET /info": { json: info } });
    expect(await probe(core)).toMatchObject({ cgroupVersion, apiVersion: "1.43", rootless: true });
  });
});

describe("findGrant", () => {
  /** Starts only with these. */
  const allowing =
    (...allowed: string[]) =>
    (request: FakeRequest) =>
      allowed.some((grant) => request.path.includes(`-probe-${grant}-`)) ? { status: 204 } : message(400, "unable to apply caps");

  it.each([
    [["privileged", "all-capabilities", "no-sys-resource"], "privileged", 1],
    [["all-capabilities", "no-sys-resource"], "all-capabilities", 2],
    [["no-sys-resource"], "no-sys-resource", 3],
  ])("of %j takes the widest, and tries no further", async (allowed, wanted, tries) => {
    const { fake, core } = await engine({ "POST /containers/*/start": allowing(...allowed) });
    expect(await findGrant(core, "img", "demo")).toBe(wanted);
    expect(await findGrant(core, "img", "demo")).toBe(wanted);
    const calls = fake.calls();
    expect(calls.filter((c) => c.includes("/start"))).toHaveLength(tries);
    expect(calls.filter((c) => c.startsWith("DELETE"))).toHaveLength(tries);
  });

  it("fails when the engine allows none, with each reason", async () => {
    const { core } = await engine({ "POST /containers/*/start": allowing() });
    await expect(findGrant(core, "img", "demo")).rejects.toThrow(
      /does not allow a machine.*privileged: unable to apply caps; all-capabilities.*no-sys-resource/,
    );
  });

  it("fails with the engine's words when the image is missing: that says nothing of rights", async () => {
    const { core } = await engine({ "POST /containers/create": message(404, "No such image: img") });
    await expect(findGrant(core, "img", "demo")).rejects.toMatchObject({ status: 404 });
  });
});

it("drops SYS_RESOURCE where the host lacks it, and asks for nothing more than privileged where it may", () => {
  expect(grantFlags("privileged")).toEqual({ Privileged: true });
  expect(grantFlags("no-sys-resource")).toMatchObject({ CapAdd: ["ALL"], CapDrop: ["SYS_RESOURCE"], MaskedPaths: [], ReadonlyPaths: [] });
  expect(grantFlags("all-capabilities")).not.toHaveProperty("CapDrop");
});
