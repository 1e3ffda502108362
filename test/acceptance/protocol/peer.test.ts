// The provider process and an independent gRPC implementation (grpc-js), without terraform in between.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChannelCredentials, Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AttributeType } from "../../../provider/framework/schema.js";
import { createServerCertificate, pem } from "../../../provider/protocol/certificate.js";
import { decodeObject, encodeDynamic } from "../../../provider/protocol/dynamic.js";
import { providerService } from "../../../provider/protocol/messages.js";
import { type Decoded, decode, encode } from "../../../provider/protocol/wire.js";
import { type Packed, packProvider } from "../../support/packed-provider.js";

const cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
const mine = createServerCertificate();
const type: AttributeType = { object: { name: "string", body: "string", wait_ms: "number", fault: "string", id: "string" } };
let packed: Packed;
let dir = "";
const processes: ChildProcess[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  packed = await packProvider();
});
afterAll(() => packed.remove());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hp-peer-"));
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  for (const child of processes.splice(0)) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

const plugin = (): NodeJS.ProcessEnv => ({
  TF_PLUGIN_MAGIC_COOKIE: cookie,
  PLUGIN_PROTOCOL_VERSIONS: "6,5",
  PLUGIN_CLIENT_CERT: mine.certPem,
});

interface Plugin {
  readonly child: ChildProcess;
  readonly line: string;
  readonly stderr: () => string;
  readonly exit: Promise<number | null>;
}
function launch(env: NodeJS.ProcessEnv = {}): Promise<Plugin> {
  const child = spawn(packed.program, [], {
    env: { PATH: process.env.PATH, TMPDIR: dir, ...plugin(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  processes.push(child);
  let stderr = "";
  let stdout = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk));
  const exit = new Promise<number | null>((done) => child.on("exit", done));
  return new Promise((done) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      stdout += chunk;
      if (stdout.includes("\n")) done({ child, line: stdout.slice(0, stdout.indexOf("\n")), stderr: () => stderr, exit });
    });
  });
}

function connect(line: string, secure = true): Client {
  const [, , network = "", address = "", , certificate = ""] = line.split("|");
  const target = network === "unix" ? `unix:${address}` : address;
  const root = Buffer.from(pem("CERTIFICATE", Buffer.from(certificate, "base64")));
  const how: ChannelCredentials = secure
    ? credentials.createSsl(root, Buffer.from(mine.keyPem), Buffer.from(mine.certPem))
    : credentials.createSsl(root);
  const client = new Client(target, how, {
    "grpc.ssl_target_name_override": "localhost",
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  clients.push(client);
  return client;
}
const raw = (client: Client, path: string, bytes: Uint8Array): Promise<Buffer> =>
  new Promise((done, fail) => {
    const deadline = Date.now() + 20_000;
    client.makeUnaryRequest(path, Buffer.from, Buffer.from, bytes, { deadline }, (problem: ServiceError | null, value) =>
      problem ? fail(problem) : done(value as Buffer),
    );
  });
async function call(client: Client, name: string, request: Decoded): Promise<Decoded> {
  const messages = providerService[name];
  if (!messages) throw new Error(name);
  return decode(messages.response, await raw(client, `/tfplugin6.Provider/${name}`, encode(messages.request, request)));
}
const socketFolders = (): readonly string[] => readdirSync(dir).filter((name) => name.startsWith("honest-"));

describe("the handshake", () => {
  it("is the first line, whatever was printed before; noise goes to the log", async () => {
    const { line, stderr } = await launch({ PACKED_NOISE: "1" });
    expect(line).toMatch(/^1\|6\|unix\|\/[^|]+\|grpc\|[A-Za-z0-9+/]+$/);
    await call(connect(line), "GetProviderSchema", {});
    expect(stderr()).toContain("hello from a dependency { deep: { er: [ 1 ] } }");
    expect(stderr()).toContain("and past the console");
    expect(stderr()).toContain("a dependency that prints when it is loaded");
  });

  it("has a seventh part only for a core that asks for it", async () => {
    expect((await launch({ PLUGIN_MULTIPLEX_GRPC: "false" })).line.split("|")).toHaveLength(7);
  });

  it("is over TCP where the socket's path would be too long", async () => {
    const { line } = await launch({ PLUGIN_UNIX_SOCKET_DIR: join(dir, "x".repeat(100)) });
    expect(line).toMatch(/^1\|6\|tcp\|127\.0\.0\.1:\d+\|grpc\|/);
    await call(connect(line), "GetMetadata", {});
  });

  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ["started by hand", { TF_PLUGIN_MAGIC_COOKIE: "" }, /Terraform and OpenTofu start this program themselves/],
    ["asked for another protocol", { PLUGIN_PROTOCOL_VERSIONS: "4,5" }, /protocol 6/],
  ])("fails with a sentence when %s", async (_, env, message) => {
    const { line, exit } = await launch(env);
    expect(line).toMatch(message);
    expect(await exit).toBe(1);
  });
});

describe("calls", () => {
  it("are answered to an independent client", async () => {
    const client = connect((await launch()).line);
    const schema = await call(client, "GetProviderSchema", {});
    expect(Object.keys(schema.resourceSchemas as object)).toEqual(["packed_file"]);
    expect(schema.serverCapabilities).toEqual({ planDestroy: true, getProviderSchemaOptional: true });
    const config = encodeDynamic(type, { name: "a", wait_ms: null });
    const planned = await call(client, "PlanResourceChange", { typeName: "packed_file", config, proposedNewState: config });
    expect(decodeObject(type, planned.plannedState)).toMatchObject({ name: "a", wait_ms: 0 });
    expect([...(await raw(client, "/grpc.health.v1.Health/Check", Buffer.alloc(0)))]).toEqual([8, 1]);
  });

  it("of an unknown name are unimplemented, of broken bytes internal errors, and neither ends the process", async () => {
    const client = connect((await launch()).line);
    await expect(raw(client, "/tfplugin6.Provider/GetResourceIdentitySchemas", Buffer.alloc(0))).rejects.toMatchObject({ code: 12 });
    await expect(raw(client, "/other.Service/Method", Buffer.alloc(0))).rejects.toMatchObject({ code: 12 });
    await expect(raw(client, "/tfplugin6.Provider/ReadResource", Buffer.from([0x0a, 0xff]))).rejects.toMatchObject({ code: 13 });
    const missing = await call(client, "ReadResource", { typeName: "packed_none" });
    expect(missing.diagnostics).toMatchObject([{ severity: 1, summary: "The provider has a bug" }]);
    await call(client, "GetMetadata", {});
  });

  it("carry eight values of more than 5 MiB at once", async () => {
    const client = connect((await launch()).line);
    const body = "x".repeat(6 << 20);
    const read = async (n: number): Promise<number> => {
      const state = encodeDynamic(type, { name: `n${n}`, body });
      const planned = await call(client, "PlanResourceChange", { typeName: "packed_file", config: state, proposedNewState: state });
      return String(decodeObject(type, planned.plannedState)?.body).length;
    };
    expect(await Promise.all(Array.from({ length: 8 }, (_, n) => read(n)))).toEqual(Array.from({ length: 8 }, () => body.length));
  });

  it("of a client without a certificate are refused", async () => {
    const { line } = await launch();
    await expect(call(connect(line, false), "GetMetadata", {})).rejects.toMatchObject({ code: 14 });
    await call(connect(line), "GetMetadata", {});
  });

  it("that are given up by the client do no harm", async () => {
    const client = connect((await launch({ PACKED_FOLDER: join(dir, "world") })).line);
    const state = encodeDynamic(type, { name: "slow", wait_ms: 60_000 });
    const apply = providerService.ApplyResourceChange;
    if (!apply) throw new Error("no apply");
    const bytes = encode(apply.request, { typeName: "packed_file", plannedState: state, config: state });
    const pending = client.makeUnaryRequest("/tfplugin6.Provider/ApplyResourceChange", Buffer.from, Buffer.from, bytes, () => undefined);
    await new Promise((done) => setTimeout(done, 300));
    pending.cancel();
    await call(client, "StopProvider", {});
    await call(client, "GetMetadata", {});
  });
});

describe("the end", () => {
  it("comes at once after Shutdown, with the socket's folder", async () => {
    const { line, exit } = await launch();
    const client = connect(line);
    // as core does: a stream that stays open until the end
    client.makeServerStreamRequest("/plugin.GRPCStdio/StreamStdio", Buffer.from, Buffer.from, Buffer.alloc(0)).on("error", () => undefined);
    await call(client, "GetMetadata", {});
    expect(socketFolders()).toHaveLength(1);
    const begun = Date.now();
    await raw(client, "/plugin.GRPCController/Shutdown", Buffer.alloc(0));
    expect(await exit).toBe(0);
    expect(Date.now() - begun).toBeLessThan(1000);
    expect(socketFolders()).toEqual([]);
  });

  it.each(["SIGINT", "SIGHUP"] as const)("does not come by %s, which reaches the whole process group", async (signal) => {
    const { line, child } = await launch();
    const client = connect(line);
    await call(client, "GetMetadata", {});
    child.kill(signal);
    await new Promise((done) => setTimeout(done, 200));
    await call(client, "GetMetadata", {});
    expect(child.exitCode).toBeNull();
  });

  it("comes by SIGTERM after what is under way was told to stop", async () => {
    const world = join(dir, "world");
    const { line, child, exit } = await launch({ PACKED_FOLDER: world });
    const client = connect(line);
    const state = encodeDynamic(type, { name: "slow", wait_ms: 60_000 });
    const answer = call(client, "ApplyResourceChange", { typeName: "packed_file", plannedState: state, config: state });
    while (!existsSync(join(world, "creating"))) await new Promise((done) => setTimeout(done, 20));
    child.kill("SIGTERM");
    expect((await answer).diagnostics).toMatchObject([{ summary: "Stopped" }]);
    expect(await exit).toBe(1);
    expect(socketFolders()).toEqual([]);
  });
});

describe("the start", () => {
  it("costs at most 1.6 starts of a bare Node, launcher and key included", () => {
    const script = join(import.meta.dirname, "../../support/start-times.mjs");
    // nothing of this machine's own that would make both slower, and their ratio better
    const env = { PATH: process.env.PATH, ...plugin(), TMPDIR: dir };
    const run = spawnSync(process.execPath, [script, packed.program, "15"], { env, encoding: "utf8" });
    const times = JSON.parse(run.stdout) as { bare: number[]; program: number[] };
    // the best of each: what else the machine does is not what is measured
    const [bare, ours] = [Math.min(...times.bare), Math.min(...times.program)];
    console.log(`start to handshake: ${ours.toFixed(0)} ms, ${(ours / bare).toFixed(2)} bare starts of Node`);
    expect(ours / bare).toBeLessThanOrEqual(1.6);
  });
});
