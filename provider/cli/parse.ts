// From words to a command and its flags.
import { type Command, type Flag, type FlagValues, UserError } from "./command.js";

export type Parsed =
  | { readonly kind: "run"; readonly command: Command; readonly flags: FlagValues }
  /** `words` is "" for the tool itself, or a group such as "mirror". */
  | { readonly kind: "help"; readonly words: string; readonly command?: Command };

const asksHelp = (word: string): boolean => word === "--help" || word === "-h";

/** The command with the most words that the arguments begin with. */
function choose(commands: readonly Command[], argv: readonly string[]): Command | undefined {
  const begins = (command: Command): boolean => command.name.split(" ").every((word, i) => argv[i] === word);
  return commands.filter(begins).sort((a, b) => b.name.length - a.name.length)[0];
}

function readFlags(flags: readonly Flag[], words: readonly string[]): FlagValues {
  const values: Record<string, string[]> = {};
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? "";
    const [, name = "", inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = flags.find((f) => f.name === name);
    if (!flag)
      throw new UserError(`"${word}" is not known here. Known: ${flags.map((f) => `--${f.name}`).join(", ") || "no flags"}, --help.`);
    const seen = values[name];
    if (seen && !flag.many) throw new UserError(`--${name} is given twice.`);
    let value = "";
    if (flag.value) {
      const given = inline ?? words[++i];
      if (given === undefined || given === "") throw new UserError(`--${name} needs a value: ${flag.value}.`);
      value = given;
    } else if (inline !== undefined) throw new UserError(`--${name} takes no value.`);
    values[name] = [...(seen ?? []), value];
  }
  return values;
}

export function parse(commands: readonly Command[], argv: readonly string[]): Parsed {
  const [head] = argv;
  if (head === undefined || head === "help" || asksHelp(head)) {
    const words = argv.slice(1).join(" ");
    const command = choose(commands, argv.slice(1));
    return command ? { kind: "help", words, command } : { kind: "help", words: "" };
  }
  const command = choose(commands, argv);
  const help = argv.some(asksHelp);
  if (!command) {
    if (commands.some((c) => c.name.startsWith(`${head} `)) && (help || argv.length === 1)) return { kind: "help", words: head };
    throw new UserError(`"${argv.join(" ")}" is not a command. honest-paas --help lists them.`);
  }
  if (help) return { kind: "help", words: command.name, command };
  return { kind: "run", command, flags: readFlags(command.flags, argv.slice(command.name.split(" ").length)) };
}
