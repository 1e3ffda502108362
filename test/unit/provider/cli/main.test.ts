import { describe, expect, it } from "vitest";
import { type Command, type Io, UserError } from "../../../../provider/cli/command.js";
import { commands } from "../../../../provider/cli/commands.js";
import { main } from "../../../../provider/cli/main.js";

function recorded(signal = new AbortController().signal) {
  const out: string[] = [];
  const said: string[] = [];
  const io: Io = { out: (text) => out.push(text), say: (line) => said.push(line), env: {}, cwd: "/", signal, terminal: false };
  return { io, out, said };
}
const failing = (cause: unknown): Command => ({
  name: "fail",
  summary: "Fails.",
  flags: [],
  run: () => Promise.reject(cause),
});

describe("main", () => {
  it("gives every command a help of its own that names all its flags", async () => {
    for (const command of commands) {
      const { io, out } = recorded();
      expect(await main(commands, [...command.name.split(" "), "--help"], io, "1.2.3")).toBe(0);
      for (const flag of command.flags) expect(out.join("")).toContain(`--${flag.name}`);
      expect(out.join("")).toContain(command.summary.slice(0, 30));
    }
  });

  it("lists the commands that people call", async () => {
    const { io, out } = recorded();
    await main(commands, [], io, "1.2.3");
    for (const name of [
      "demo destroy",
      "kubeconfig",
      "status",
      "converge",
      "provider install",
      "mirror build",
      "mirror serve",
      "mirror verify",
      "image build",
      "doctor",
    ])
      expect(out.join("")).toContain(`  ${name} `);
    expect(out.join("")).not.toContain("credential");
  });

  it("says its version", async () => {
    const { io, out } = recorded();
    expect(await main(commands, ["--version"], io, "1.2.3")).toBe(0);
    expect(out).toEqual(["1.2.3\n"]);
  });

  it("shows a foreseen problem without a stack", async () => {
    const { io, said } = recorded();
    expect(await main([failing(new UserError("no engine"))], ["fail"], io, "1")).toBe(1);
    expect(said).toEqual(["error: no engine"]);
  });

  it("shows a bug with its stack", async () => {
    const { io, said } = recorded();
    expect(await main([failing(new TypeError("x is undefined"))], ["fail"], io, "1")).toBe(1);
    expect(said.join("\n")).toContain("main.test.ts");
  });

  it("says what to do about a full disk", async () => {
    const { io, said } = recorded();
    const cause = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    expect(await main([failing(cause)], ["fail"], io, "1")).toBe(1);
    expect(said.join("\n")).toMatch(/The disk is full.*free \(\d+ bytes\); wanted are 800 MB.*Free some space/s);
  });

  it("ends with 130 after ctrl-C, whatever broke because of it", async () => {
    const { io, said } = recorded(AbortSignal.abort());
    expect(await main([failing(new Error("aborted"))], ["fail"], io, "1")).toBe(130);
    expect(said).toEqual(["stopped; run the same command again to go on"]);
  });
});
