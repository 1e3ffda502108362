// Writes a key and reads it back every 100 ms through the endpoint, as a workload would, and remembers the longest time
// without a success, requests that failed also when tried again at once, and every write that was confirmed and then not
// there.
import type { KubeClient } from "../../provider/kube/client.js";
import { configMap } from "../../provider/kube/object.js";

export interface Written {
  readonly writes: number;
  readonly failures: number;
  /** Of the failures those that failed again when tried again at once, as a client does that retries once. */
  readonly failedTwice: number;
  readonly longestGapMs: number;
  readonly lost: readonly string[];
  /** What the failures said, each once. */
  readonly reasons: readonly string[];
}

export function startWriter(client: KubeClient, name = "writer", everyMs = 100): { stop(): Promise<Written> } {
  const key = configMap(name, "default");
  const lost: string[] = [];
  const reasons = new Set<string>();
  let [writes, failures, failedTwice, longestGapMs, going] = [0, 0, 0, 0, true];
  let good = Date.now();
  const loop = (async () => {
    for (let n = 0; going; n += 1) {
      const begun = Date.now();
      const call = { timeoutMs: 3_000 };
      const value = String(n);
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { n: value } };
      const once = async () => {
        const wrote = await client.apply(object, call);
        return wrote.ok ? await client.get(key, call) : wrote;
      };
      let read = await once();
      if (!read.ok) {
        failures += 1;
        reasons.add(read.failure.message);
        read = await once();
        if (!read.ok) failedTwice += 1;
      }
      if (read.ok) {
        writes += 1;
        const back = (read.value?.data as { n?: string } | undefined)?.n;
        if (back !== value) lost.push(`wrote ${value}, read ${back}`);
        longestGapMs = Math.max(longestGapMs, Date.now() - good);
        good = Date.now();
      }
      await new Promise((wake) => setTimeout(wake, Math.max(0, everyMs - (Date.now() - begun))));
    }
  })();
  return {
    async stop() {
      going = false;
      await loop;
      longestGapMs = Math.max(longestGapMs, Date.now() - good);
      return { writes, failures, failedTwice, longestGapMs, lost, reasons: [...reasons] };
    },
  };
}
