import { describe, expect, it } from "vitest";
import { runProgram } from "../../../../provider/mirror/program.js";
import { openWorld } from "../../../support/open-world.js";

// the unit runs programs
openWorld("processes");

describe("runProgram", () => {
  it("gives the output, with the environment and the folder asked for", async () => {
    expect(await runProgram("sh", ["-c", 'echo "$A"; pwd'], { cwd: "/", env: { A: "b" } })).toBe("b\n/\n");
  });

  it.each([
    ["sh", ["-c", "seq 20 >&2; exit 3"], /^sh ended with 3: 15\n16\n17\n18\n19\n20$/],
    ["sh", ["-c", "echo only this; exit 1"], /^sh ended with 1: only this$/],
    ["sh", ["-c", "kill -KILL $$"], /^sh was ended by SIGKILL \(often the kernel, out of memory/],
    ["no-such-program", [], /^no-such-program ended with 127: it is not installed$/],
  ])("fails when %s %j fails, and says how", async (program, args, message) => {
    await expect(runProgram(program, args)).rejects.toThrow(message);
  });

  it("ends the program when told", async () => {
    await expect(runProgram("sleep", ["60"], { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: "AbortError" });
  });
});
