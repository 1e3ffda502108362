import { expect, it } from "vitest";
import { failed, ok, stopped } from "../../../../provider/kube/outcome.js";
import { done, notYet, poll } from "../../../../provider/kube/poll.js";

const options = (ms: number, signal = new AbortController().signal, progress?: (reason: string) => void) => ({
  what: "waiting for it",
  deadline: Date.now() + ms,
  signal,
  everyMs: 5,
  ...(progress ? { progress } : {}),
});

it("goes through an API that is away, overloaded or lost a race, and says each reason once", async () => {
  const answers = [
    failed({ kind: "unreachable", message: "refused" }),
    failed({ kind: "unreachable", message: "refused" }),
    failed({ kind: "status", status: 503, reason: "", message: "starting" }),
    failed({ kind: "status", status: 409, reason: "Conflict", message: "lost" }),
    ok(notYet("soon")),
    ok(done(1)),
  ];
  const told: string[] = [];
  expect(
    await poll(
      async () => answers.shift() ?? ok(done(0)),
      options(1_000, undefined, (r) => told.push(r)),
    ),
  ).toEqual({ ok: true, value: 1 });
  expect(told).toEqual(["refused", "starting", "lost", "soon"].map((reason) => `waiting for it: ${reason}`));
});

it("gives up at once on an answer that will not change", async () => {
  const no = failed({ kind: "status", status: 403, reason: "Forbidden", message: "no" });
  expect(await poll(async () => no, options(1_000))).toEqual(no);
});

it("ends with the last reason when the time is over", async () => {
  expect(await poll(async () => ok(notYet("b is late")), options(20))).toMatchObject({
    ok: false,
    failure: { kind: "timeout", message: "timed out waiting for it: b is late" },
  });
});

it("ends when terraform asks to stop, also in mid-sleep", async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 20);
  const began = Date.now();
  expect(await poll(async () => ok(notYet("never")), { ...options(60_000, stop.signal), everyMs: 30_000 })).toMatchObject({
    failure: { kind: "stopped", message: "stopped while waiting for it: never" },
  });
  expect(Date.now() - began).toBeLessThan(5_000);
});

it("says what it waited for when it is stopped in the middle of a look, and before the first one that it did not look", async () => {
  const looks = [ok(notYet("b is silent")), stopped("asking")];
  expect(await poll(async () => looks.shift() ?? ok(done(0)), options(1_000))).toMatchObject({
    failure: { kind: "stopped", message: "stopped while waiting for it: b is silent" },
  });
  expect(await poll(async () => ok(done(0)), options(1_000, AbortSignal.abort()))).toMatchObject({
    failure: { kind: "stopped", message: "stopped while waiting for it" },
  });
});
