// Rolls of three control planes in every way in which terraform can be told to, or is cut off, while a client writes and the
// machines that run are counted: one apply after another with one slot, a second edit half-way, a plan that was saved when the
// cluster was another, no refresh, the provider killed, the successor killed, a bad edit taken back. Steps build on each other.
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChangedCluster } from "../support/changed-cluster.js";
import { type Finished, run } from "../support/demo-project.js";

const [name, version] = ["e2e-orders", "1.36.3"];
const cluster = new ChangedCluster(name, 3, 1, version);
const [a, b, c] = ["a", "b", "c"].map((letter) => `${name}-cp-${letter}`) as [string, string, string];
let identity = "";

beforeAll(async () => {
  await cluster.make();
  identity = await cluster.identity();
}, 900_000);
afterAll(() => cluster.close(), 300_000);

const flat = ({ stdout, stderr }: Finished): string => (stdout + stderr).replace(/[│╷╵\s]+/g, " ");
const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));
const apply = (args: readonly string[] = [], started?: (child: ChildProcess) => void): Promise<Finished> =>
  cluster.project.terraform(["apply", "-auto-approve", "-no-color", "-input=false", ...args], started ? { started } : {});
const converge = async (): Promise<void> => {
  await cluster.must(cluster.project.tool(["converge", "--yes"], { timeoutMs: 900_000 }));
};
const machineIds = async (): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries((await cluster.nodes()).filter((node) => node.controlPlane).map((node) => [node.name, node.machineId]));
const running = async (): Promise<readonly string[]> =>
  (await run("docker", ["ps", "--format", "{{.Names}}", "--filter", `name=^${name}-cp-`])).stdout.split("\n").filter(Boolean);

/** Runs it beside a client; afterwards the cluster is whole, the same, and never had fewer machines than `least`. */
async function unharmed(what: string, least: number, change: () => Promise<void>): Promise<void> {
  let [fewest, looking] = [3, true];
  const looks = (async () => {
    for (; looking; await sleep(500)) fewest = Math.min(fewest, (await running()).length);
  })();
  const begun = Date.now();
  const { written } = await cluster
    .during(async () => {
      await change();
      await cluster.whole();
      await cluster.emptyPlan();
    })
    .finally(() => {
      looking = false;
    });
  await looks;
  console.log(`${what}: ${Math.round((Date.now() - begun) / 1000)} s, never fewer than ${fewest} machines; ${JSON.stringify(written)}`);
  expect(written.lost).toEqual([]);
  expect(written.failedTwice).toBe(0);
  expect(fewest).toBeGreaterThanOrEqual(least);
  expect(await cluster.identity()).toBe(identity);
}

/** The processes that this one has started: of terraform those of its providers. */
const startedBy = (parent: number): readonly number[] =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        return Number(/\) \S+ (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))?.[1]) === parent ? [Number(entry)] : [];
      } catch (cause) {
        // it has ended between the list and the look
        if (["ENOENT", "ESRCH"].includes((cause as NodeJS.ErrnoException).code ?? "")) return [];
        throw cause;
      }
    });

/** Until the machine is another than that, and runs. */
async function successorOf(machine: string, before: string): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(300)) {
    const found = await run("docker", ["inspect", "-f", "{{.Id}} {{.State.Running}}", machine]);
    if (found.code === 0 && !found.stdout.startsWith(before) && found.stdout.trim().endsWith("true")) return;
  }
  throw new Error(`${machine} got no successor`);
}
const containerOf = async (machine: string): Promise<string> =>
  (await cluster.must(run("docker", ["inspect", "-f", "{{.Id}}", machine]))).stdout.trim();

describe("rolls of three control planes", () => {
  it("another machine type, one apply after another with a single slot: each plan names who goes and who waits", async () => {
    const before = await machineIds();
    await cluster.want(version, { controlPlane: { instanceType: "local.cpu2.mem2304" } });
    await unharmed("machine type, -parallelism=1", 2, async () => {
      for (const words of [
        `${a} takes its new release now; ${b}, ${c} wait for their turn`,
        `${b} takes its new release now; ${c} waits for its turn`,
        `${c} takes its new release now`,
      ]) {
        expect(flat(await cluster.plan())).toContain(words);
        const begun = Date.now();
        await cluster.must(apply(["-parallelism=1"]));
        console.log(`apply of one control plane: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
      }
    });
    const after = await machineIds();
    expect(Object.keys(before).filter((node) => before[node] === after[node])).toEqual([]);
  }, 900_000);

  it("a name in certificates, edited once more half-way: it ends on the last, served by all", async () => {
    const wanted = (certName: string) =>
      cluster.want(version, { controlPlane: { instanceType: "local.cpu2.mem2304" }, more: { access: { certNames: [certName] } } });
    await unharmed("two edits in a row", 2, async () => {
      await wanted("first.example.com");
      await cluster.must(apply());
      await wanted("second.example.com");
      expect(flat(await cluster.plan())).toContain(`${a} takes its new release now; ${b}, ${c} wait for their turn`);
      await converge();
    });
    for (const machine of [a, b, c]) {
      const shown = await cluster.must(
        run("docker", [
          ...["exec", machine, "sh", "-c"],
          "openssl s_client -connect localhost:6443 </dev/null 2>/dev/null | openssl x509 -noout -ext subjectAltName",
        ]),
      );
      expect(shown.stdout, machine).toContain("second.example.com");
      expect(shown.stdout, machine).not.toContain("first.example.com");
    }
  }, 900_000);

  it("a plan that was saved before a machine went off, and one without a refresh: nobody is touched; then it heals", async () => {
    await cluster.want(version, { controlPlane: { componentFlags: { "kubelet.max-pods": "61" } } });
    const before = await machineIds();
    await unharmed("saved plan, no refresh, a machine off", 2, async () => {
      const saved = await cluster.project.terraform(["plan", "-no-color", "-input=false", "-out=saved"]);
      expect(saved.code, flat(saved)).toBe(0);
      await cluster.must(run("docker", ["stop", "-t", "1", c]));
      // each waits for the one that is off, at most a quarter of an hour, and is not waited for
      const soon = (child: ChildProcess): void => {
        const timer = setTimeout(() => child.kill("SIGINT"), 40_000);
        child.on("close", () => clearTimeout(timer));
      };
      const late = await cluster.project.terraform(["apply", "-no-color", "-input=false", "saved"], { started: soon });
      expect(late.code).not.toBe(0);
      expect(flat(late)).toMatch(new RegExp(`${a} was not taken down.*${c} does not answer`));
      const unread = await apply(["-refresh=false"], soon);
      expect(unread.code).not.toBe(0);
      expect(flat(unread)).toMatch(new RegExp(`${a} was not taken down.*${c} does not answer`));
      expect(await machineIds()).toEqual(before);
      await converge();
    });
  }, 900_000);

  it("the provider is killed in the middle, then the successor: each apply ends, the next ones finish", async () => {
    const max = (value: string) => cluster.want(version, { controlPlane: { componentFlags: { "kubelet.max-pods": value } } });
    await max("62");
    await unharmed("provider killed, successor killed", 2, async () => {
      const first = await containerOf(a);
      let killed: Promise<number> = Promise.resolve(0);
      const cut = await apply([], (child) => {
        killed = successorOf(a, first).then(() => {
          const providers = startedBy(child.pid ?? 0);
          for (const provider of providers) process.kill(provider, "SIGKILL");
          return providers.length;
        });
      });
      expect(await killed).toBeGreaterThan(0);
      expect(cut.code).not.toBe(0);
      await cluster.must(apply());

      // the apply waits for a node that cannot come; whoever sees that ends it
      await max("63");
      const second = await containerOf(a);
      let gone: Promise<unknown> = Promise.resolve();
      const lost = await apply([], (child) => {
        gone = successorOf(a, second)
          .then(() => cluster.must(run("docker", ["rm", "-f", a])))
          .then(() => sleep(20_000))
          .then(() => child.kill("SIGINT"));
      });
      await gone;
      expect(lost.code).not.toBe(0);
      await converge();
    });
  }, 1_500_000);

  it("a bad edit is taken back: one apply mends the first machine, the others never move", async () => {
    const max = (value: string) => cluster.want(version, { controlPlane: { componentFlags: { "kubelet.max-pods": value } } });
    const before = await machineIds();
    await max("wrong");
    await unharmed("a bad edit taken back", 2, async () => {
      const first = await containerOf(a);
      let stopped: Promise<unknown> = Promise.resolve();
      const cut = await apply([], (child) => {
        stopped = successorOf(a, first)
          .then(() => sleep(30_000))
          .then(() => child.kill("SIGINT"));
      });
      await stopped;
      expect(cut.code).not.toBe(0);
      await max("63");
      const begun = Date.now();
      await cluster.must(apply());
      console.log(`taken back by one apply: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    });
    const after = await machineIds();
    expect([after[b], after[c]]).toEqual([before[b], before[c]]);
    expect(after[a]).not.toBe(before[a]);
  }, 900_000);
});
