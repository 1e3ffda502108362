// Times and names as people read them. Pure.
const units: readonly (readonly [name: string, seconds: number])[] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** "5 s", "4 min", "3 h", "12 d": whole units, cut. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  // "30 h" says more than "1 d"
  const [name, size] = units.find(([unit, least]) => seconds >= least * (unit === "d" ? 2 : 1)) ?? ["s", 1];
  return `${Math.floor(seconds / size)} ${name}`;
}
/** RFC 3339 in UTC, whole seconds. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
/** A clock that is ahead gives "0 s". */
export const ago = (at: string, now: number): string => span(now - Date.parse(at));

/** A release as people compare it by eye: "r1a2b3c4". */
export const short = (release: string): string => release.slice(0, 8);

/** Columns padded to their widest cell, two spaces apart. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((title, n) => Math.max(title.length, ...rows.map((row) => (row[n] ?? "").length)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
