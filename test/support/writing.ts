// For tests of living clusters: a client is at work during each test of a file.
import { afterEach, beforeEach, expect, type TestContext } from "vitest";
import { startWriter, type Written } from "./api-writer.js";
import type { ControlPlaneCluster } from "./control-plane-cluster.js";

/** No write that was confirmed may ever be gone; `then` looks at what else the client has seen. */
export function writingDuringEach(
  cluster: ControlPlaneCluster,
  then: (said: Written | undefined, task: TestContext["task"]) => void | Promise<void>,
): void {
  let writer: ReturnType<typeof startWriter> | undefined;
  beforeEach(async () => {
    writer = startWriter(await cluster.client());
  });
  afterEach(async ({ task }) => {
    const said = await writer?.stop();
    console.log(`${task.name}: ${JSON.stringify(said)}`);
    expect(said?.lost).toEqual([]);
    await then(said, task);
  }, 60_000);
}
