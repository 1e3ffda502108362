// Before the first test of a part: removes what an earlier run of the same part left in the engine when it was cut off (a
// kill, a computer that went down). Its networks would hold the ranges that the tests ask for. Two runs of one part beside
// each other on one engine have the same names and cannot work anyway.
import type { TestProject } from "vitest/node";
import { createEngine } from "../../provider/engine/engine.js";
import { EngineError } from "../../provider/engine/error.js";
import { ownedClusters } from "../../provider/engine/owned.js";

/** What names of clusters begin with that a part's tests make. */
const prefixes: Readonly<Record<string, string>> = { acceptance: "acc-", e2e: "e2e-", long: "e2e-" };

export async function removeEarlierRuns(prefix: string): Promise<readonly string[]> {
  const engine = createEngine();
  try {
    const left = (await ownedClusters(engine)).filter((name) => name.startsWith(prefix));
    for (const name of left) await engine.removeOwned(name);
    return left;
  } catch (cause) {
    // tests that need an engine say so themselves
    if (cause instanceof EngineError && cause.kind === "unreachable") return [];
    throw cause;
  } finally {
    await engine.close();
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const prefix = prefixes[project.name];
  if (prefix === undefined) throw new Error(`tests of "${project.name}" have no prefix in ${import.meta.filename}`);
  const removed = await removeEarlierRuns(prefix);
  if (removed.length > 0) console.log(`removed what an earlier run left of ${removed.join(", ")}`);
}
