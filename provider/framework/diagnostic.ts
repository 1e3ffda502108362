// Problems as the surface words them. Expected failures are returned, never thrown: a throw is a bug of the provider
// and becomes one "provider bug" diagnostic with its cause in the log.

export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** Title: what is wrong, in the user's words. Terraform folds equal summaries of warnings into one. */
  readonly summary: string;
  /** Full sentences: where, got, allowed, how to fix. */
  readonly detail: string;
  /** Path of the attribute: names for attributes, numbers for list elements, { key } for map elements. */
  readonly path?: readonly (string | number | { readonly key: string })[];
}

export const error = (summary: string, detail: string, path?: Diagnostic["path"]): Diagnostic =>
  path ? { severity: "error", summary, detail, path } : { severity: "error", summary, detail };
export const warning = (summary: string, detail: string, path?: Diagnostic["path"]): Diagnostic =>
  path ? { severity: "warning", summary, detail, path } : { severity: "warning", summary, detail };
