// Durations as the spec writes them: "8760h", "90m", "1h30m".

const units: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** Seconds; undefined when the text is no duration. */
export function toSeconds(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+)([hms])/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== text) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0), 0);
}

/** 10512000 → "2920h", 90 → "90s": in the largest unit that needs no second one. */
export function shortestWords(seconds: number): string {
  const [unit = "s", size = 1] = Object.entries(units).find(([, of]) => seconds >= of && seconds % of === 0) ?? [];
  return `${seconds / size}${unit}`;
}
