// Figures of repeated runs: the median is what to quote, lowest and highest say how much to believe it.
export interface Figures {
  readonly runs: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function figures(values: readonly number[]): Figures {
  const sorted = [...values].sort((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined || sorted.some(Number.isNaN)) throw new Error(`no figures in [${values.join(", ")}]`);
  const middle = sorted.length / 2;
  const median = sorted.length % 2 ? (sorted[Math.floor(middle)] ?? min) : ((sorted[middle - 1] ?? min) + (sorted[middle] ?? min)) / 2;
  return { runs: sorted.length, median, min, max };
}

/** Pair by pair: both of a pair ran in the same seconds, so a machine that gets slower moves both. */
export function ratios(of: readonly number[], to: readonly number[]): Figures {
  if (of.length !== to.length) throw new Error(`${of.length} runs cannot be paired with ${to.length}`);
  return figures(of.map((value, n) => value / (to[n] ?? Number.NaN)));
}

/** "1.41 (1.38 to 1.52)" */
export function word({ runs, median, min, max }: Figures, digits: number, unit = ""): string {
  const text = `${median.toFixed(digits)}${unit}`;
  return runs === 1 ? text : `${text} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}
