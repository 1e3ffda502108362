import { describe, expect, it } from "vitest";
import { type Command, UserError } from "../../../../provider/cli/command.js";
import { parse } from "../../../../provider/cli/parse.js";

const command = (name: string): Command => ({
  name,
  summary: name,
  flags: [
    { name: "workers", value: "N", help: "" },
    { name: "group", value: "NAME", many: true, help: "" },
    { name: "merge", help: "" },
  ],
  run: async () => 0,
});
const commands = [command("demo"), command("demo destroy"), command("mirror build")];
const run = (text: string) => parse(commands, text.split(" ").filter(Boolean));

describe("parse", () => {
  it.each([
    ["demo", "demo", {}],
    ["demo destroy", "demo destroy", {}],
    ["demo --workers 3 --merge", "demo", { workers: ["3"], merge: [""] }],
    ["demo --workers=3", "demo", { workers: ["3"] }],
    ["mirror build --group a --group b", "mirror build", { group: ["a", "b"] }],
  ])("reads %s", (text, name, flags) => {
    const parsed = run(text);
    expect(parsed.kind === "run" && parsed.command.name).toBe(name);
    expect(parsed.kind === "run" && parsed.flags).toEqual(flags);
  });

  it.each([
    ["", ""],
    ["--help", ""],
    ["help demo destroy", "demo destroy"],
    ["demo --help", "demo"],
    ["demo destroy -h", "demo destroy"],
    ["mirror", "mirror"],
    ["mirror --help", "mirror"],
  ])("gives help for %s", (text, words) => {
    expect(run(text)).toMatchObject({ kind: "help", words });
  });

  it.each([
    ["cook", /"cook" is not a command/],
    ["mirror bild", /not a command/],
    ["demo --wokers 3", /"--wokers" is not known here\. Known: --workers/],
    ["demo three", /"three" is not known here/],
    ["demo --workers", /--workers needs a value: N/],
    ["demo --workers=", /needs a value/],
    ["demo --workers 1 --workers 2", /given twice/],
    ["demo --merge=yes", /takes no value/],
  ])("fails when %s", (text, words) => {
    expect(() => run(text)).toThrow(words);
    expect(() => run(text)).toThrow(UserError);
  });
});
