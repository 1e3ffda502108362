import { afterEach, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { execIn } from "../../../../provider/engine/exec.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { fakeDocker } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

it("runs a program and gives its code and both outputs", async () => {
  const frame = (stream: number, text: string): Buffer =>
    Buffer.concat([Buffer.from([stream, 0, 0, 0, 0, 0, 0, text.length]), Buffer.from(text)]);
  const fake = await fakeDocker({
    "POST /containers/m/exec": { json: { Id: "e" } },
    "POST /exec/e/start": { bytes: Buffer.concat([frame(1, "out"), frame(2, "err")]) },
    "GET /exec/e/json": { json: { ExitCode: 3 } },
  });
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  expect(await execIn(core, "m", ["sh", "-c", "x"])).toEqual({ code: 3, stdout: "out", stderr: "err" });
  expect(fake.seen.find((r) => r.path === "/containers/m/exec")?.json()).toMatchObject({ Cmd: ["sh", "-c", "x"], Tty: false });
});
