// "20m", "1h30m", "45s" as in every Terraform provider's timeouts.

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds; undefined when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map((p) => p[0]).join("") !== text) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0), 0);
}
