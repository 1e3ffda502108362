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

/** When it opens for people on both sides of a time zone: "2026-12-01T02:00Z (Tuesday 03:00 Europe/Berlin)". */
export function openingWords({ timezone }: Window, opens: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return `${opens} (${format.format(Date.parse(opens)).replace(",", "")} ${timezone})`;
}

export function windowState(window: Window | null, now: number): WindowState {
  if (window === null) return { open: true };
  const opensAt = openings(window);
  const quarter = Math.floor(now / quarterMs) * quarterMs;
  for (let back = 0; back < window.durationHours * quartersPerHour; back += 1) {
    if (opensAt(quarter - back * quarterMs)) return { open: true };
  }
  // two weeks and a day: a window of one day a week whose hour daylight saving skips opens a week later
  for (let ahead = 1; ahead <= 15 * 24 * quartersPerHour; ahead += 1) {
    const at = quarter + ahead * quarterMs;
    if (opensAt(at)) return { open: false, opens: `${new Date(at).toISOString().slice(0, 16)}Z` };
  }
  return { open: false };
}
