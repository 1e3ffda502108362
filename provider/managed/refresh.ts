// Asks every vendor how its objects are. Silence changes nothing: only a vendor's own "not there" is gone.
import type { Diagnostic } from "../framework/diagnostic.js";
import type { Instance, Ledger } from "./instance.js";
import type { VendorOf } from "./vendor.js";
import { orDiagnostics } from "./vendor-lost.js";
import { walk } from "./walk.js";

export interface RefreshInput {
  readonly ledger: Ledger;
  readonly vendorOf: VendorOf;
  readonly signal: AbortSignal;
  /** Which objects are asked for. @default all */
  readonly only?: (instance: Instance) => boolean;
  readonly limit?: number;
}
export interface Refreshed {
  readonly diagnostics: readonly Diagnostic[];
  /** Names of what was there and is not any more. */
  readonly gone: readonly string[];
}

export async function refreshAll({ ledger, vendorOf, signal, only = () => true, limit = 10 }: RefreshInput): Promise<Refreshed> {
  const gone: string[] = [];
  const steps = ledger.names().flatMap((name) => {
    const instance = ledger.current(name);
    if (!instance || instance.tainted || !only(instance)) return [];
    const run = async (): Promise<readonly Diagnostic[]> => {
      const { type, private: held } = instance;
      const vendor = vendorOf(type);
      const state = await vendor.upgrade(type, instance.attributes, instance.schema_version);
      const answer = await vendor.read({ type, state, private: held });
      if (answer.state === null) gone.push(name);
      const kept = answer.state && {
        ...instance,
        schema_version: await vendor.schemaVersion(type),
        attributes: answer.state,
        private: answer.private,
      };
      ledger.seen(name, kept);
      return answer.diagnostics;
    };
    return [{ id: name, after: [], run: () => orDiagnostics(run) }];
  });
  const { done } = await walk(steps, { limit, signal, good: () => true });
  return { diagnostics: folded(done.flatMap(({ result }) => result)), gone };
}

/** Several objects say the same thing of their cluster: it is said once. */
export function folded(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ severity, summary, detail }) => {
    const key = JSON.stringify([severity, summary, detail]);
    return !seen.has(key) && seen.add(key);
  });
}
