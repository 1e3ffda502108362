// A vendor's diagnostics in our own words for them.
import type { Diagnostic } from "../framework/diagnostic.js";
import type { Decoded } from "../protocol/wire.js";
import type { AttributePath } from "./vendor.js";

export function pathOf(message: unknown): AttributePath {
  const steps = ((message as Decoded | undefined)?.steps ?? []) as Decoded[];
  return steps.map((step) => {
    if (typeof step.attributeName === "string") return step.attributeName;
    if (typeof step.elementKeyString === "string") return { key: step.elementKeyString };
    return Number(step.elementKeyInt ?? 0);
  });
}

export function diagnosticsOf(messages: unknown): readonly Diagnostic[] {
  return ((messages ?? []) as Decoded[]).map((message) => {
    const path = pathOf(message.attribute);
    const severity = message.severity === 2 ? "warning" : "error";
    const base = { severity, summary: String(message.summary ?? ""), detail: String(message.detail ?? "") } as const;
    return path.length > 0 ? { ...base, path } : base;
  });
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean => diagnostics.some((d) => d.severity === "error");

/** `user_data`, `network[0].port`, `tags["a"]`: how a plan names the place. */
export function pathText(path: AttributePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (typeof step === "object") return `${text}[${JSON.stringify(step.key)}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}
