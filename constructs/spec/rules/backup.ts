// Snapshots often enough to be of use, seldom enough to be harmless, and nothing leaves a cluster unsealed.
import { shortestWords, toSeconds } from "../duration.js";
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";

/** Word for "not by schedule". */
export const off = "off";
export const scheduleBounds = { min: 60, max: 168 * 3600 } as const;
export const drillBounds = { min: 60, max: 720 * 3600 } as const;
/** Longer than what can be tried through in a life, at the seal's 600 000 rounds a guess. */
export const shortestPassphrase = 16;
/** Seconds; 0 = off. Not a number when it is no duration, or one of no length. */
export const scheduleSeconds = (text: string): number => (text === off ? 0 : toSeconds(text) || Number.NaN);
export const within = (seconds: number, bounds: { readonly min: number; readonly max: number }): boolean =>
  seconds === 0 || (seconds >= bounds.min && seconds <= bounds.max);
export const boundsWords = ({ min, max }: { readonly min: number; readonly max: number }): string =>
  `${shortestWords(min)} to ${shortestWords(max)}, or "${off}"`;

/** An origin: nothing behind the host and port. */
export function isEndpoint(text: string): boolean {
  const parts = /^https?:\/\/(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(:(\d{1,5}))?\/?$/.exec(text);
  return parts !== null && Number(parts[3] ?? 443) >= 1 && Number(parts[3] ?? 443) <= 65535;
}

export function backupRules({ backup }: ClusterSpec): readonly Problem[] {
  const time = (field: "schedule" | "drill_every", bounds: typeof scheduleBounds | typeof drillBounds): readonly Problem[] =>
    within(scheduleSeconds(backup[field]), bounds)
      ? []
      : [
          {
            code: "backup.schedule",
            path: ["backup", field],
            message: "is out of range",
            got: backup[field],
            allowed: boundsWords(bounds),
          },
        ];
  return [...time("schedule", scheduleBounds), ...time("drill_every", drillBounds), ...targetRules(backup.target)];
}

function targetRules(target: ClusterSpec["backup"]["target"]): readonly Problem[] {
  if (target === null) return [];
  const at = (...path: readonly string[]) => ["backup", "target", ...path];
  return [
    ...(isEndpoint(target.s3.endpoint)
      ? []
      : [
          {
            code: "backup.endpoint",
            path: at("s3", "endpoint"),
            message: "is not the URL of a server",
            got: target.s3.endpoint,
            allowed: 'http or https, a host, and a port where it is not the usual one: "https://s3.example.com"',
          },
        ]),
    // what it is, is not repeated: a problem is printed
    ...(target.passphrase.length >= shortestPassphrase
      ? []
      : [
          {
            code: "backup.passphrase",
            path: at("passphrase"),
            message: `has ${target.passphrase.length} characters`,
            allowed: `at least ${shortestPassphrase}`,
            fix: "take a long random one: openssl rand -base64 24",
          },
        ]),
  ];
}
