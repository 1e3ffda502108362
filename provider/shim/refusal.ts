// What a vendor's error says about what the cloud did. Only a plain refusal is certain: an answer of HTTP 400 to 499, but for
// the two that say nothing about the work itself (408, 429). Vendors print the status in one of these forms; a text that has
// none of them stays unknown.
import type { Diagnostic } from "../framework/diagnostic.js";

const forms: readonly RegExp[] = [
  // gophercloud: "Expected HTTP response code [201] when accessing […], but got 403 instead"
  /\bbut got ([45]\d\d) instead\b/i,
  // AWS SDK: "https response error StatusCode: 400"
  /\bstatus ?code[:=]? ?\[?([45]\d\d)\b/i,
  /\bHTTP(?:\/\d(?:\.\d)?)?(?: response| status| error)?(?: code)?[ :]+([45]\d\d)\b/i,
  /\bstatus[:=]? ([45]\d\d)\b/i,
  /\b([45]\d\d) (?:Bad Request|Unauthorized|Forbidden|Not Found|Conflict|Unprocessable Entity|Internal Server Error|Service Unavailable)\b/i,
];

/** The first HTTP status of 400 or more that an error names; null when none does. */
export function refusalStatus(diagnostics: readonly Diagnostic[]): number | null {
  for (const d of diagnostics) {
    if (d.severity !== "error") continue;
    const text = `${d.summary}\n${d.detail}`;
    for (const form of forms) {
      const status = form.exec(text)?.[1];
      if (status !== undefined) return Number(status);
    }
  }
  return null;
}

/** True when the cloud refused, so that nothing was made. Anything less is "unknown". */
export function definitelyRefused(diagnostics: readonly Diagnostic[]): boolean {
  const status = refusalStatus(diagnostics);
  return status !== null && status < 500 && status !== 408 && status !== 429;
}

/** Whether the same request may succeed a moment later: everything but a plain no. 409: something still uses the object. */
export const worthAnotherTry = (diagnostics: readonly Diagnostic[]): boolean => {
  const status = refusalStatus(diagnostics);
  return status === null || status === 409 || !definitelyRefused(diagnostics);
};
