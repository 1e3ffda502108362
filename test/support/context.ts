// What the process gives to a resource, for tests that call one directly.
import type { Context } from "../../provider/framework/resource.js";

export function testContext(over: Partial<Context> = {}): Context {
  const made = new Map<string, unknown>();
  return {
    signal: new AbortController().signal,
    log: () => undefined,
    config: {},
    once<T>(key: string, make: () => T): T {
      if (!made.has(key)) made.set(key, make());
      return made.get(key) as T;
    },
    ...over,
  };
}
