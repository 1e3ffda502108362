// What doctor looks at: a cluster where there is one, else this computer.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FlagValues } from "../../../../provider/cli/command.js";
import { doctor } from "../../../../provider/cli/doctor.js";
import { openWorld } from "../../../support/open-world.js";

// it asks terraform and the engine; here neither is to be found
openWorld("processes", "sockets");
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "doctor-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(flags: FlagValues) {
  const [out, said]: [string[], string[]] = [[], []];
  const io = {
    out: (text: string) => void out.push(text),
    say: (line: string) => void said.push(line),
    env: { PATH: "", DOCKER_HOST: "unix:///nowhere.sock", HONEST_PAAS_CACHE: folder },
    cwd: folder,
    signal: AbortSignal.timeout(20_000),
    terminal: false,
  };
  const code = await doctor.run(flags, io);
  return { code, out: out.join(""), said: said.join("\n") };
}

it("says why it looks at this computer in a stack that cannot be read", async () => {
  writeFileSync(join(folder, "main.tf"), "");
  const { code, out, said } = await run({ json: ["true"] });
  expect(said).toMatch(/^No terraform found\. .*So this computer is looked at\.$/);
  expect(JSON.parse(out)).toMatchObject({
    of: "computer",
    findings: expect.arrayContaining([expect.objectContaining({ what: "terraform", state: "missing" })]),
  });
  expect(code).toBe(1);
});

it("fails where a stack was named", async () => {
  writeFileSync(join(folder, "main.tf"), "");
  await expect(run({ stack: [folder] })).rejects.toThrow(/No terraform found/);
});

it("asks which of several stacks is meant, and does not look at something else", async () => {
  for (const name of ["a", "b"]) {
    mkdirSync(join(folder, "cdktf.out", "stacks", name), { recursive: true });
    writeFileSync(join(folder, "cdktf.out", "stacks", name, "main.tf"), "");
  }
  await expect(run({})).rejects.toThrow(/has 2 stacks: a, b\. Choose one: --stack/);
});

it("asks no terraform outside of stacks, or when told to look at this computer", async () => {
  expect((await run({})).said).toBe("");
  writeFileSync(join(folder, "main.tf"), "");
  expect((await run({ computer: ["true"] })).said).toBe("");
  await expect(run({ computer: ["true"], cluster: ["x"] })).rejects.toThrow(/takes neither/);
});
