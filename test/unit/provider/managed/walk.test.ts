import { describe, expect, it } from "vitest";
import { walk } from "../../../../provider/managed/walk.js";

const tick = (): Promise<void> => new Promise((done) => setImmediate(done));

describe("a walk", () => {
  it("has no more steps under way than it may, and all of those that it may", async () => {
    let [now, most] = [0, 0];
    const steps = Array.from({ length: 40 }, (_, n) => ({
      id: String(n),
      after: [],
      run: async () => {
        now += 1;
        most = Math.max(most, now);
        await tick();
        now -= 1;
        return true;
      },
    }));
    const { done } = await walk(steps, { limit: 7, good: Boolean });
    expect([done.length, most]).toEqual([40, 7]);
  });

  it("skips what comes after a failure, through others as well", async () => {
    const step = (id: string, after: readonly string[], result = true) => ({ id, after, run: async () => result });
    const { done, skipped } = await walk([step("a", [], false), step("b", ["a"]), step("c", ["b"]), step("d", [])], { good: Boolean });
    expect(done.map(({ id }) => id).sort()).toEqual(["a", "d"]);
    expect([...skipped].sort()).toEqual(["b", "c"]);
  });

  it("waits for what is under way when it is stopped, and begins nothing more", async () => {
    const stop = new AbortController();
    let ended = false;
    const first = {
      id: "a",
      after: [],
      run: async () => {
        stop.abort();
        await tick();
        ended = true;
        return true;
      },
    };
    const { skipped } = await walk([first, { id: "b", after: ["a"], run: async () => true }], { signal: stop.signal, good: Boolean });
    expect([ended, skipped]).toEqual([true, ["b"]]);
  });

  it("says who waits for whom when nobody can begin", async () => {
    const steps = ["a", "b"].map((id) => ({ id, after: [id === "a" ? "b" : "a"], run: async () => true }));
    await expect(walk(steps, { good: Boolean })).rejects.toThrow("a, b");
  });
});
