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

/** Offsets from UTC are whole quarters of an hour. */
const quarterMs = 900_000;
const quartersPerHour = 4;

/** Whether a window opens at that instant. */
function openings(window: Window): (at: number) => boolean {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: window.timezone,
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value]));
    const day = (parts.weekday ?? "").toLowerCase();
    return Number(parts.hour) === window.hour && Number(parts.minute) === 0 && (window.days.length === 0 || window.days.includes(day));
  };
}

export function windowState(window: Window | null, now: number): WindowState {
  if (window === null) return { open: true };
  const opensAt = openings(window);
  const quarter = Math.floor(now / quarterMs) * quarterMs;
  for (let back = 0; back < window.durationHours * quartersPerHour; back += 1) {
    if (opensAt(quarter - back * quarterMs)) return { open: true };
  }
  // a week and a day: the hour that daylight saving skips comes back a week later
  for (let ahead = 1; ahead <= 8 * 24 * quartersPerHour; ahead += 1) {
    const at = quarter + ahead * quarterMs;
    if (opensAt(at)) return { open: false, opens: `${new Date(at).toISOString().slice(0, 16)}Z` };
  }
  return { open: false };
}
