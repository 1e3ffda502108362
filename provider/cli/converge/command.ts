// honest-paas converge: plan and apply until nothing is pending.
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { withLock } from "../../mirror/cache.js";
import { type Command, type FlagValues, first, has, type Io, UserError, wholeNumber } from "../command.js";
import { awaitOrphan } from "../demo/terraform.js";
import { findTerraform, howToGetOne } from "../terraform/find.js";
import { stackFolder } from "../terraform/state.js";
import { type ConvergeEvent, eventJson } from "./event.js";
import { converge as loop } from "./loop.js";
import { eventLines } from "./render.js";
import { createRunner, filesOf } from "./runner.js";

/** Agents report every 15 s: what was only late is there by then. */
const pauseMs = 20_000;
const defaultLimit = 100;

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
  });
}

async function run(flags: FlagValues, io: Io): Promise<number> {
  const json = has(flags, "json");
  const rules = {
    limit: wholeNumber(flags, "limit", { min: 1, max: 10_000, otherwise: defaultLimit }),
    yes: has(flags, "yes"),
    allowDestroy: has(flags, "allow-destroy"),
  };
  if (json && !rules.yes) throw new UserError("--json asks nothing. Add --yes, or leave --json out and answer at the terminal.");
  const { program, rejected } = await findTerraform(io.env);
  if (!program) throw new UserError(["No terraform found.", ...rejected, howToGetOne].join(" "));
  // as the kernel names the folder that a process works in
  const stack = realpathSync(stackFolder(resolve(io.cwd, first(flags, "stack") ?? ".")));
  const files = filesOf(stack, io.env);

  const tell = (event: ConvergeEvent): void =>
    json
      ? io.out(`${eventJson(event)}\n`)
      : io.out(
          eventLines(event, io)
            .map((line) => `${line}\n`)
            .join(""),
        );
  const note = (text: string): void => tell({ event: "note", text });
  const planArgs = [
    ...(flags["var-file"] ?? []).map((file) => `-var-file=${resolve(io.cwd, file)}`),
    ...(flags.var ?? []).map((assignment) => `-var=${assignment}`),
  ];
  const insist = io.insist ?? new AbortController().signal;
  mkdirSync(files.folder, { recursive: true, mode: 0o700 });
  return withLock(
    files.lock,
    () => note("another converge is at work in this stack; waiting for it"),
    io.signal,
    async () => {
      await awaitOrphan(files, note, io.signal);
      try {
        return await loop({
          runner: createRunner({ program: program.path, files, env: io.env, planArgs, note, signal: io.signal, insist }),
          rules,
          tell,
          ask: async (question) => (json ? undefined : io.ask?.(question)),
          signal: io.signal,
          pauseMs,
          sleep,
          now: Date.now,
        });
      } finally {
        // the last plan, which was not applied, holds what the state holds
        rmSync(files.plan, { force: true });
      }
    },
  );
}

export const converge: Command = {
  name: "converge",
  summary: "Repeats terraform plan and apply of a stack until no machine waits for a new release and the plan is empty.",
  details: [
    "Each plan is saved, shown, and then applied as it was shown. It asks before the first apply, and again whenever something else than a machine, its membership or its attachment is destroyed or replaced.",
    "It stops at the first error, at a gate that refuses to take a machine down, when nobody may take the new release in two looks, and when the same plan comes back after it was applied twice.",
    "Ctrl-C ends it after the apply that runs; a second one interrupts terraform. It may be run again at any time and goes on where it ended, also after it was killed.",
    "Environment and variables as for terraform itself: TF_WORKSPACE, TF_DATA_DIR, TF_VAR_name and TF_CLI_ARGS_plan are honoured. terraform init has to have been run.",
    "Exit code: 0 all done, 1 an error, 2 stopped with something left to do, 130 interrupted.",
  ],
  flags: [
    { name: "stack", value: "FOLDER", help: "Folder of the stack. Default: this folder, or the only stack below its cdktf.out." },
    { name: "yes", help: "Do not ask before the first apply." },
    { name: "allow-destroy", help: "Do not ask either when more is destroyed than a roll destroys." },
    { name: "limit", value: "N", help: `Most applies, 1 to 10000. Default ${defaultLimit}.` },
    { name: "var-file", value: "FILE", many: true, help: "Variables for the plans, as terraform's -var-file; may be repeated." },
    { name: "var", value: "NAME=VALUE", many: true, help: "One variable for the plans, as terraform's -var; may be repeated." },
    { name: "json", help: "One JSON object a line instead of text; needs --yes." },
  ],
  run,
};
