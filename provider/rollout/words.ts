// Names in sentences. Long lists are cut: a warning that fills the screen is not read.
const shown = 8;

export function list(names: readonly string[]): string {
  const sorted = [...new Set(names)].sort();
  const rest = sorted.length - shown;
  return rest > 1 ? `${sorted.slice(0, shown).join(", ")} and ${rest} more` : sorted.join(", ");
}

export const have = (names: readonly string[], one: string, many: string): string => `${list(names)} ${names.length === 1 ? one : many}`;
export const isAre = (names: readonly string[]): string => (names.length === 1 ? "is" : "are");
export const doNotAnswer = (names: readonly string[]): string => have(names, "does not answer", "do not answer");
