// Looking for an object whose answer was lost. A request may still be on its way when the one who sent it is dead, so "none"
// counts only after the longest time that the cloud takes to act; what is found counts at once.
import { setTimeout as sleep } from "node:timers/promises";
import type { ObjectValue } from "../framework/value.js";
import type { Found, Lookup } from "./instance-types.js";
import { lostDiagnostic } from "./object.js";
import { type Vendor, VendorLost } from "./vendor.js";

export interface SettleOptions {
  /** Since when nothing more was sent, milliseconds as of Date.now. */
  readonly since: number;
  /** How long after it "none" is believed. */
  readonly settleMs: number;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

/** `vendor` is asked at each look: one that dies while it looks is no answer, and another one looks again. */
export async function lookUpSettled(
  vendor: () => Promise<Vendor>,
  lookup: Lookup,
  wanted: ObjectValue,
  options: SettleOptions,
): Promise<Found> {
  const { since, settleMs, now = Date.now, wait = (ms) => sleep(ms) } = options;
  for (let pause = settleMs / 8; ; pause *= 2) {
    const late = now() - since >= settleMs;
    const found = await look(vendor, lookup, wanted);
    if (found.kind === "ids" && found.ids.length > 0) return found;
    if (late && found.kind !== "lost") return found.kind === "ids" ? { kind: "none" } : found;
    await wait(Math.max(1, Math.min(pause, since + settleMs - now())));
  }
}

async function look(vendor: () => Promise<Vendor>, lookup: Lookup, wanted: ObjectValue): Promise<Found | { readonly kind: "lost" }> {
  try {
    return await lookup.find(await vendor(), wanted);
  } catch (cause) {
    // the pool gives up a vendor that keeps dying, with a `VendorProblem`: this comes to an end
    if (cause instanceof VendorLost) return { kind: "lost" };
    return { kind: "unknown", diagnostics: [lostDiagnostic(cause)] };
  }
}
