import { afterEach, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { anyOwnImage, buildImage, imageExists, importImage } from "../../../../provider/engine/image.js";
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
const lines = (...values: object[]): { bytes: Buffer } => ({ bytes: Buffer.from(values.map((v) => JSON.stringify(v)).join("\r\n")) });

it("knows which images are there", async () => {
  const { core } = await engine({
    "GET /images/a/b:1/json": { json: {} },
    "GET /images/*/json": message(404, "No such image"),
    "GET /images/a/c:1/json": message(404, "No such image"),
  });
  expect([await imageExists(core, "a/b:1"), await imageExists(core, "a/c:1")]).toEqual([true, false]);
});

it("imports with the tag split at its last colon, and hands on the progress", async () => {
  const { fake, core } = await engine({ "POST /images/create": lines({ status: "one" }, { status: "sha256:x" }) });
  const said: string[] = [];
  await importImage(core, Buffer.from("tar"), "host:5000/a/b:1.2", ['CMD ["/init"]', "LABEL a=b"], { log: (line) => said.push(line) });
  const query = fake.seen.at(-1)?.query;
  expect([query?.get("repo"), query?.get("tag"), query?.getAll("changes")]).toEqual([
    "host:5000/a/b",
    "1.2",
    ['CMD ["/init"]', "LABEL a=b"],
  ]);
  expect(fake.seen.at(-1)?.body.toString()).toBe("tar");
  expect(said).toEqual(["one", "sha256:x"]);
});

it("fails when a build fails, though the engine's status is 200", async () => {
  const { core } = await engine({ "POST /build": lines({ stream: "Step 1" }, { error: "no space left on device" }) });
  await expect(buildImage(core, Buffer.from(""), "a/b:1")).rejects.toThrow(/Cannot build the image a\/b:1: no space left/);
});

it("prefers a machine image for helpers, and says when there is none", async () => {
  const row = (...tags: string[]) => ({ Id: "x", RepoTags: tags });
  const some = await engine({
    "GET /images/json": { json: [row("honest-paas/base:1"), row("honest-paas/machine:1.36.3"), { Id: "y", RepoTags: null }] },
  });
  expect(await anyOwnImage(some.core)).toBe("honest-paas/machine:1.36.3");
  const none = await engine({ "GET /images/json": { json: [] } });
  expect(await anyOwnImage(none.core)).toBeNull();
});
