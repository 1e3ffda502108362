// What terraform -json says, in short lines.
export type Told =
  | { readonly kind: "note" | "plain"; readonly text: string }
  | { readonly kind: "error"; readonly text: string }
  /** Every machine says the same: shown once per summary. */
  | { readonly kind: "warning"; readonly summary: string; readonly text: string }
  | { readonly kind: "changes"; readonly add: number; readonly change: number; readonly remove: number };

interface Line {
  readonly "@message"?: string;
  readonly type?: string;
  readonly hook?: { readonly resource?: { readonly addr?: string }; readonly action?: string; readonly elapsed_seconds?: number };
  readonly changes?: { readonly add?: number; readonly change?: number; readonly remove?: number; readonly operation?: string };
  readonly diagnostic?: {
    readonly severity?: string;
    readonly summary?: string;
    readonly detail?: string;
    readonly address?: string;
  };
}

const done: Readonly<Record<string, string>> = { create: "made", update: "changed", delete: "removed", read: "read" };

/** undefined = nothing a person waits for. A line that is no JSON is a crash, or what terraform says before it reads its flags. */
export function tellLine(text: string): Told | undefined {
  if (!text.trim()) return undefined;
  let line: Line;
  try {
    line = JSON.parse(text) as Line;
  } catch {
    return { kind: "plain", text };
  }
  const address = line.hook?.resource?.addr ?? "";
  switch (line.type) {
    case "apply_complete":
      return {
        kind: "note",
        text: `${done[line.hook?.action ?? ""] ?? line.hook?.action} ${address} (${line.hook?.elapsed_seconds ?? 0} s)`,
      };
    case "apply_errored":
      return { kind: "note", text: `failed: ${address}` };
    case "apply_progress":
      return (line.hook?.elapsed_seconds ?? 0) % 30 === 0
        ? { kind: "note", text: `still at ${address} (${line.hook?.elapsed_seconds} s)` }
        : undefined;
    case "change_summary":
      if (line.changes?.operation !== "plan") return undefined;
      return { kind: "changes", add: line.changes.add ?? 0, change: line.changes.change ?? 0, remove: line.changes.remove ?? 0 };
    case "diagnostic": {
      const { severity, summary = "", detail = "", address: where } = line.diagnostic ?? {};
      if (severity !== "error")
        return { kind: "warning", summary, text: [summary, detail].filter(Boolean).join(". ").replaceAll("\n", " ") };
      return { kind: "error", text: [where ? `${summary} (${where})` : summary, detail].filter(Boolean).join("\n") };
    }
    default:
      return undefined;
  }
}
