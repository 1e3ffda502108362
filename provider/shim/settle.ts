// Looking for an object whose answer was lost. A request may still be on its way when the one who sent it is dead, so "none"
// counts only after the longest time that the cloud takes to act; what is found counts at once.
import { setTimeout as sleep } from "node:timers/promises";
import type { ObjectValue } from "../framework/value.js";
import type { Found, Lookup } from "./instance-types.js";
import type { Vendor } from "./vendor.js";

export interface SettleOptions {
  /** Since when nothing more was sent, milliseconds as of Date.now. */
  readonly since: number;
  /** How long after it "none" is believed. */
  readonly settleMs: number;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

export async function lookUpSettled(vendor: Vendor, lookup: Lookup, wanted: ObjectValue, options: SettleOptions): Promise<Found> {
  const { since, settleMs, now = Date.now, wait = (ms) => sleep(ms) } = options;
  for (let pause = settleMs / 8; ; pause *= 2) {
    const late = now() - since >= settleMs;
    const found = await lookup.find(vendor, wanted);
    if (found.kind === "ids" && found.ids.length > 0) return found;
    if (late) return found.kind === "ids" ? { kind: "none" } : found;
    await wait(Math.max(1, Math.min(pause, since + settleMs - now())));
  }
}
