// Problems are data; words are chosen at the surface (wordProblem, and the provider's diagnostics).

export interface Problem {
  /** Stable code, public contract: "version.unsupported". */
  readonly code: string;
  /** Where, as the user wrote it: ["control_plane", "replicas"]. */
  readonly path: readonly (string | number)[];
  /** What is wrong, in a few words, lower case, no period. */
  readonly message: string;
  readonly got?: unknown;
  /** Allowed values or their description. */
  readonly allowed?: string;
  readonly fix?: string;
}

/** One line: `control_plane.replicas: must be odd (got 2; allowed: 1, 3, 5). Fix: …` */
export function wordProblem(p: Problem): string {
  const facts = [p.got === undefined ? "" : `got ${JSON.stringify(p.got)}`, p.allowed ? `allowed: ${p.allowed}` : ""].filter(Boolean);
  return `${p.path.join(".") || "spec"}: ${p.message}${facts.length ? ` (${facts.join("; ")})` : ""}${p.fix ? `. Fix: ${p.fix}` : ""}`;
}
