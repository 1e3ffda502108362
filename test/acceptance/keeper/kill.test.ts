// The keeper against a real terraform that is killed while it writes its state, again and again.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTerraform } from "../../../provider/cli/keeper/run.js";

/** Each takes a moment, so that there is a middle to act in however fast the computer, or slow to read a line. */
const count = 120;
const object = { input: "$" + "{count.index}", provisioner: { "local-exec": { command: "sleep 0.05" } } };

interface State {
  readonly serial: number;
  readonly resources: readonly { readonly instances: readonly { readonly attributes: { readonly id: string } }[] }[];
}

interface Extra {
  readonly signal?: AbortSignal;
  readonly said?: string[];
  /** Called once, when terraform has told of that many objects. */
  readonly at?: { readonly made: number; readonly act: (pid: number) => void };
}

describe("keeper", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hp-keeper-"));
    writeFileSync(join(folder, "main.tf.json"), JSON.stringify({ resource: { terraform_data: { many: { count, ...object } } } }));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const statePath = () => join(folder, "terraform.tfstate");
  const ids = (): readonly string[] => {
    const state = JSON.parse(readFileSync(statePath(), "utf8")) as State;
    return state.resources.flatMap((r) => r.instances.map((i) => i.attributes.id));
  };
  const apply = ["apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=3"];
  const run = (args: readonly string[], extra: Extra = {}) => {
    let made = 0;
    let pid = 0;
    return runTerraform({
      program: "terraform",
      folder,
      args,
      env: process.env,
      logFile: join(folder, "terraform.log"),
      line: (line) => {
        if (line.includes("Creation complete") && ++made === extra.at?.made) extra.at.act(pid);
      },
      say: (line) => extra.said?.push(line),
      signal: extra.signal ?? new AbortController().signal,
      started: (id) => {
        pid = id;
      },
    });
  };

  it("loses nothing that was written when terraform is killed with -9 in mid-apply", async () => {
    expect(await run(["init", "-no-color"])).toBe(0);
    const known = new Set<string>();
    for (const made of [10, 20, 30]) {
      expect(await run(apply, { at: { made, act: (pid) => process.kill(-pid, "SIGKILL") } })).toBe(137);
      // what the copy knows is what the next run begins with
      const kept = JSON.parse(readFileSync(`${statePath()}.good`, "utf8")) as State;
      for (const id of kept.resources.flatMap((r) => r.instances.map((i) => i.attributes.id))) known.add(id);
    }
    expect(known.size).toBeGreaterThan(0);
    expect(await run(apply)).toBe(0);
    const all = ids();
    expect(all).toHaveLength(count);
    expect([...known].filter((id) => !all.includes(id))).toEqual([]);
  });

  it("puts an emptied state back and says so", async () => {
    expect(await run(["init", "-no-color"])).toBe(0);
    expect(await run(apply)).toBe(0);
    const before = ids();
    writeFileSync(statePath(), "");
    const said: string[] = [];
    expect(await run(["plan", "-detailed-exitcode", "-input=false"], { said })).toBe(0);
    expect(said.join()).toMatch(/state was put back from its copy.*it is empty/);
    expect(ids()).toEqual(before);
  });

  it("passes on exactly one interrupt, and terraform writes its state", async () => {
    expect(await run(["init", "-no-color"])).toBe(0);
    const stop = new AbortController();
    const code = await run(apply, { signal: stop.signal, at: { made: 20, act: () => stop.abort() } });
    expect(code).toBe(1);
    expect(ids().length).toBeGreaterThanOrEqual(20);
    expect(ids().length).toBeLessThan(count);
    expect(await run(apply)).toBe(0);
    expect(ids()).toHaveLength(count);
  });

  it("lets terraform finish when the keeper itself is killed with -9", async () => {
    expect(await run(["init", "-no-color"])).toBe(0);
    const script = `
      import { runTerraform } from ${JSON.stringify(join(import.meta.dirname, "../../../provider/cli/keeper/run.ts"))};
      await runTerraform({ program: "terraform", folder: ${JSON.stringify(folder)}, args: ${JSON.stringify(apply)}, env: process.env,
        logFile: ${JSON.stringify(join(folder, "terraform.log"))}, line() {}, say() {}, signal: new AbortController().signal,
        started: (pid) => console.log(pid) });`;
    const file = join(folder, "keep.mts");
    writeFileSync(file, script);
    const keeper: ChildProcess = spawn(process.execPath, ["--import", "tsx", file], {
      cwd: join(import.meta.dirname, "../../.."),
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((found) => keeper.stdout?.once("data", found));
    keeper.kill("SIGKILL");
    await expect
      .poll(() => readFileSync(join(folder, "terraform.log"), "utf8"), { timeout: 60_000 })
      .toContain(`Apply complete! Resources: ${count} added`);
    expect(ids()).toHaveLength(count);
  });
});
