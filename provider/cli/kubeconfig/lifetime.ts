// How long a certificate is valid: "10m", "8h", "30d".
import { UserError } from "../command.js";

const minutesOf: Readonly<Record<string, number>> = { m: 1, h: 60, d: 24 * 60 };
const longest = 365 * 24 * 60;

export function parseLifetime(text: string): number {
  const [, number = "", unit = ""] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const minutes = Number(number) * (minutesOf[unit] ?? 0);
  if (!(minutes >= 1 && minutes <= longest)) throw new UserError(`--ttl is "${text}". Allowed: 1m to 365d, such as 10m, 8h or 30d.`);
  return minutes;
}
