// A provider as it is installed: implied mirror, launcher, a process for each walk. Each test is a way in which providers
// on Node have failed.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Packed, packProvider } from "../../support/packed-provider.js";

const head = 'terraform {\n required_providers {\n  packed = { source = "honest-paas/packed" }\n }\n}\n';
let packed: Packed;
let dir = "";
let base: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  packed = await packProvider();
});
afterAll(() => packed.remove());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hp-acc-"));
  packed.install(dir);
  writeFileSync(join(dir, "none.tfrc"), "");
  base = {
    ...process.env,
    PACKED_FOLDER: join(dir, "world"),
    TMPDIR: folder("tmp"),
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_CLI_CONFIG_FILE: join(dir, "none.tfrc"),
  };
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly text: string;
}
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  // a process group of its own, as a shell gives it: a signal of the terminal reaches all of it
  const child = spawn(terraform, args, { cwd: dir, env: { ...base, ...env }, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk));
  return { child, ended: new Promise((done) => child.on("close", (code) => done({ code, text }))) };
}
const terraform = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "terraform"))
  .find((file) => existsSync(file)) as string;
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => start(args, env).ended;
async function good(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, text } = await run(args, env);
  if (code !== 0) throw new Error(`terraform ${args.join(" ")} ended with ${code}:\n${text}`);
  return text;
}
const init = () => good(["init", "-no-color", "-input=false"]);
const apply = ["apply", "-no-color", "-auto-approve", "-input=false"];
const write = (body: string): void => writeFileSync(join(dir, "main.tf"), head + body);
const one = 'resource "packed_file" "a" {\n name = "a"\n}\n';
const world = (kind: string): readonly string[] => (existsSync(join(dir, "world", kind)) ? readdirSync(join(dir, "world", kind)) : []);
const alive = (pid: string): boolean => existsSync(`/proc/${pid}`);
const until = async (what: () => boolean, seconds: number): Promise<void> => {
  const end = Date.now() + seconds * 1000;
  while (!what()) {
    if (Date.now() > end) throw new Error("waited in vain");
    await new Promise((done) => setTimeout(done, 50));
  }
};

describe("an installed provider", () => {
  it("lives below an ES module package, goes through a life, and leaves no process behind", async () => {
    write(one);
    await init();
    await good(apply);
    await good(["plan", "-detailed-exitcode"]);
    write('resource "packed_file" "a" {\n name = "a"\n body = "new"\n}\n');
    await good(apply);
    await good(["plan", "-detailed-exitcode"]);
    expect(JSON.parse(readFileSync(join(dir, "world/objects/a.json"), "utf8"))).toMatchObject({ body: "new", id: "file-a" });
    await good(["destroy", "-auto-approve", "-no-color"]);
    expect(world("objects")).toEqual([]);
    expect(world("processes").length).toBeGreaterThan(5);
    expect(world("processes").filter(alive)).toEqual([]);
    // each process took its socket's folder with it
    expect(readdirSync(join(dir, "tmp"))).toEqual([]);
  });

  it.each<[string, () => NodeJS.ProcessEnv]>([
    ["NODE_OPTIONS of the user that name a missing file", () => ({ NODE_OPTIONS: "--require /missing.cjs" })],
    ["a TMPDIR longer than a socket's path may be", () => ({ TMPDIR: folder("t".repeat(120)) })],
    ["a TMPDIR that is not there", () => ({ TMPDIR: join(dir, "missing") })],
    ["a dependency that prints to standard output", () => ({ PACKED_NOISE: "1" })],
    ["TLS switched off", () => ({ TF_DISABLE_PLUGIN_TLS: "1" })],
    ["Node named by HONEST_PAAS_NODE alone", () => ({ HONEST_PAAS_NODE: process.execPath, PATH: tools() })],
  ])("works with %s", async (_, env) => {
    write(one);
    await init();
    await good(apply, env());
    await good(["plan", "-detailed-exitcode"], env());
  });

  it("fails with a sentence when there is no Node", async () => {
    write(one);
    await init();
    const { code, text } = await run(["plan", "-no-color"], { PATH: tools() });
    expect(code).toBe(1);
    expect(words(text)).toContain("honest-paas needs Node.js 20.19 or newer on PATH (looked for: node)");
  });

  it("fails with a sentence when Node is too old", async () => {
    write(one);
    await init();
    const old = join(dir, "old-node");
    writeFileSync(`${old}.cjs`, 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.18.3" } });\n');
    writeFileSync(old, `#!/bin/sh\nexec "${process.execPath}" -r "${old}.cjs" "$@"\n`);
    chmodSync(old, 0o755);
    const { code, text } = await run(["plan", "-no-color"], { HONEST_PAAS_NODE: old });
    expect(code).toBe(1);
    expect(words(text)).toContain("honest-paas needs Node.js 20.19 or newer;");
  });

  it("crashes with a stack trace that core shows", async () => {
    write('resource "packed_file" "a" {\n name = "a"\n fault = "uncaught"\n}\n');
    await init();
    const { code, text } = await run(apply);
    expect(code).toBe(1);
    expect(text).toContain("Stack trace from the terraform-provider-packed_v0.0.1");
    expect(text).toContain("panic: Error: thrown where nobody listens");
    expect(text).toMatch(/served\.cjs:\d+/);
  });
});

describe("a stopped run", () => {
  const many = (wait: number): void =>
    write(`resource "packed_file" "a" {\n count = 24\n name = "f\${count.index}"\n wait_ms = ${wait}\n}\n`);

  it("knows after ctrl-C exactly what there is, and goes on", async () => {
    many(800);
    await init();
    const { child, ended } = start([...apply, "-parallelism=4"]);
    await until(() => world("objects").length >= 6, 30);
    process.kill(-Number(child.pid), "SIGINT");
    const { code, text } = await ended;
    expect(code).toBe(1);
    expect(text).toContain("Interrupt received");
    const made = world("objects").length;
    expect(made).toBeLessThan(24);
    const known = (await good(["state", "list"])).trim().split("\n");
    expect(known).toHaveLength(made);
    expect(world("stopped").length).toBeGreaterThan(0);
    many(0);
    await good(apply);
    expect(world("objects")).toHaveLength(24);
    await good(["plan", "-detailed-exitcode"]);
  });

  it("ends the provider when terraform is killed", async () => {
    many(60_000);
    await init();
    const { child, ended } = start(apply);
    await until(() => world("creating").length > 0, 30);
    const left = world("processes").filter(alive);
    expect(left).toEqual(world("creating"));
    process.kill(Number(child.pid), "SIGKILL");
    await ended.catch(() => undefined);
    await until(() => left.every((pid) => !alive(pid)), 8);
    expect(readFileSync(join(dir, "world/stopped", left[0] ?? ""), "utf8")).toBe("Terraform is gone");
    expect(world("objects")).toEqual([]);
  });
});

/** A PATH with what a launcher may use, and no Node. */
function tools(): string {
  const bin = folder("bin");
  for (const name of ["sh", "dirname", "readlink"]) {
    const from = ["/bin", "/usr/bin"].map((path) => join(path, name)).find((file) => existsSync(file));
    if (from && !existsSync(join(bin, name))) symlinkSync(from, join(bin, name));
  }
  return bin;
}
function folder(name: string): string {
  mkdirSync(join(dir, name), { recursive: true });
  return join(dir, name);
}
/** Without the frame and the line breaks of an error. */
const words = (text: string): string => text.replace(/[│╷╵]/g, " ").replace(/\s+/g, " ");
