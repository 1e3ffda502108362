// Reading what agents write on Nodes. A node can write anything there: what does not parse is no report, never an error.
import type { KubeObject } from "../../kube/object.js";

type Values = Readonly<Record<string, unknown>>;

export const record = (value: unknown): Values =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Values) : {};
export const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
export const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
/** Milliseconds since the epoch, of an RFC 3339 time. */
export function moment(value: unknown): number | null {
  const ms = Date.parse(text(value) ?? "");
  return Number.isNaN(ms) ? null : ms;
}

/** undefined = there is none, or it is no object. */
export function note(node: KubeObject, name: string): Values | undefined {
  const said = node.metadata.annotations?.[name];
  if (said === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(said);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Values) : undefined;
  } catch {
    return undefined;
  }
}
