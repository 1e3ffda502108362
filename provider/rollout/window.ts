// Maintenance window: when machines may be replaced. Judged when facts are read and stored as open or closed, since a plan
// has no clock.

export const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

export interface Window {
  /** Days on which it opens; empty = every day. */
  readonly days: readonly string[];
  /** Hour of the day, 0-23, in `timezone`. */
  readonly hour: number;
  readonly durationHours: number;
  /** IANA name. */
  readonly timezone: string;
}

export interface WindowState {
  readonly open: boolean;
  /** When a closed window opens next: "2026-12-01T02:00Z". */
  readonly opens?: string;
}

const hourMs = 3_600_000;

function localHour(at: number, timezone: string): { readonly day: string; readonly hour: number } {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: timezone, weekday: "long", hour: "2-digit", hourCycle: "h23" }).formatToParts(at);
  const part = (type: string): string => parts.find((p) => p.type === type)?.value ?? "";
  return { day: part("weekday").toLowerCase(), hour: Number(part("hour")) };
}

const opensAt = (window: Window, at: number): boolean => {
  const { day, hour } = localHour(at, window.timezone);
  return hour === window.hour && (window.days.length === 0 || window.days.includes(day));
};

export function windowState(window: Window | null, now: number): WindowState {
  if (window === null) return { open: true };
  const thisHour = Math.floor(now / hourMs) * hourMs;
  for (let back = 0; back < window.durationHours; back += 1) {
    if (opensAt(window, thisHour - back * hourMs)) return { open: true };
  }
  // a week and a day: the hour that daylight saving skips comes back a week later
  for (let ahead = 1; ahead <= 8 * 24; ahead += 1) {
    const at = thisHour + ahead * hourMs;
    if (opensAt(window, at)) return { open: false, opens: `${new Date(at).toISOString().slice(0, 16)}Z` };
  }
  return { open: false };
}
