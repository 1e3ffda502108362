// A section of the benchmark: measures something, says it in words, and names the limits that it has to hold. What it
// measured is plain data, so that the page can be written again from the file of the last run.
export interface Tools {
  /** How often things are repeated: a section's own default times this. */
  readonly rounds: number | undefined;
  /** One line of progress. */
  readonly say: (line: string) => void;
  /** Aborted on ctrl-C; whatever was made is removed before the section ends. */
  readonly signal: AbortSignal;
}

export interface Limit {
  readonly what: string;
  /** The figure, in words with its spread. */
  readonly figure: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}

export interface Section<T> {
  readonly title: string;
  measure(tools: Tools): Promise<T>;
  limits(data: T): readonly Limit[];
  /** Markdown below the title: how it is measured, and what is not in the table of limits. */
  page(data: T): string;
}

/** What one run of a section leaves. */
export interface Taken<T> {
  /** ISO date. */
  readonly on: string;
  readonly machine: string;
  /** Load average of the last minute when it began; a busy machine makes seconds large and spreads wide. */
  readonly load: number;
  readonly data: T;
}
