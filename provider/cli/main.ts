// The tool from the outside: words in, exit code out.
import { EngineError } from "../engine/error.js";
import { isNoSpace } from "../engine/free-space.js";
import { type Command, type Io, UserError } from "./command.js";
import { wordFullDisk } from "./demo/space.js";
import { commandHelp, toolHelp } from "./help.js";
import { parse } from "./parse.js";

export async function main(commands: readonly Command[], argv: readonly string[], io: Io, version: string): Promise<number> {
  try {
    if (argv[0] === "--version") {
      io.out(`${version}\n`);
      return 0;
    }
    const parsed = parse(commands, argv);
    if (parsed.kind === "run") return await parsed.command.run(parsed.flags, io);
    io.out(parsed.command ? commandHelp(parsed.command, commands) : toolHelp(commands, parsed.words, version));
    return 0;
  } catch (cause) {
    if (io.signal.aborted) {
      io.say("stopped; run the same command again to go on");
      return 130;
    }
    for (const line of [
      `error: ${wordCause(cause)}`,
      ...(isNoSpace(cause) && !(cause instanceof EngineError) ? await wordFullDisk(io.env) : []),
    ])
      io.say(line);
    return 1;
  }
}

/** Problems that were foreseen speak for themselves; anything else is a bug and shows where. */
function wordCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof UserError) return cause.message;
  const code = (cause as NodeJS.ErrnoException).code;
  if (cause instanceof EngineError) return [cause.message, cause.fix].filter(Boolean).join(" ");
  const expected = /Failed\d*$/.test(cause.constructor.name) || code !== undefined;
  return expected ? cause.message : (cause.stack ?? cause.message);
}
