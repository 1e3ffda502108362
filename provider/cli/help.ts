// Help texts, rendered from the same data that parsing uses.
import type { Command } from "./command.js";

const width = 100;

function wrap(text: string, indent: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line && indent.length + line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.map((line) => indent + line).join("\n");
}

function table(rows: readonly (readonly [string, string])[]): string {
  const column = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(column)}${wrap(right, " ".repeat(column + 2)).trimStart()}`).join("\n");
}

export function commandHelp(command: Command, all: readonly Command[]): string {
  const flags = command.flags.map((f) => [`--${f.name}${f.value ? ` ${f.value}` : ""}`, f.help] as const);
  const below = all.filter((c) => c.name.startsWith(`${command.name} `) && !c.hidden);
  const parts = [
    `Usage: honest-paas ${command.name}${command.flags.length ? " [flags]" : ""}`,
    wrap(command.summary, ""),
    table([...flags, ["--help", "This text."]]),
    ...(command.details ?? []).map((paragraph) => (paragraph.startsWith("  ") ? paragraph : wrap(paragraph, ""))),
    ...(below.length ? [`Further: ${below.map((c) => `honest-paas ${c.name} --help`).join(", ")}`] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

export function toolHelp(all: readonly Command[], group: string, version: string): string {
  const shown = all.filter((c) => !c.hidden && (group === "" || c.name.startsWith(`${group} `)));
  return `honest-paas ${version}: Kubernetes clusters from a cloud's public API.

Usage: honest-paas COMMAND [flags]

${table(shown.map((c) => [c.name, c.summary] as const))}

honest-paas COMMAND --help says what a command does and which flags it has.
`;
}
