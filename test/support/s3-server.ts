// A real S3 server for the tests: versitygw (Apache-2.0), built once from its Go module into the cache. It keeps objects as
// files of a folder and checks signatures like any other.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type BuiltProgram, builtProgram } from "./built-module.js";

const build = {
  module: "github.com/versity/versitygw",
  version: "v1.8.0",
  packages: [{ path: "cmd/versitygw", name: "versitygw" }],
};

/** Path of the server; why there is none, or null, in `missing`. In CI it must be there. */
export const s3Program = (log: (line: string) => void): Promise<BuiltProgram> => builtProgram(build, log);

export interface S3Server {
  /** "http://127.0.0.1:40123" */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Where the bucket's objects are files. */
  readonly folder: string;
  close(): Promise<void>;
}

/** Serves one empty bucket on a free port of that address. */
export async function startS3(program: string, address = "127.0.0.1"): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "s3-"));
  const [bucket, accessKeyId, secretAccessKey] = ["backups", "AKTESTKEY", "a secret of the tests"];
  await mkdir(join(folder, "objects", bucket), { recursive: true });
  await mkdir(join(folder, "meta"));
  const port = await freePort(address);
  const child = spawn(
    program,
    // attributes in files beside: not every file system of a CI has them
    ["--port", `${address}:${port}`, "posix", "--sidecar", join(folder, "meta"), join(folder, "objects")],
    { env: { ...process.env, ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said = (said + chunk).slice(-4000)));
  const endpoint = `http://${address}:${port}`;
  await answers(endpoint, child, () => said);
  return {
    endpoint,
    bucket,
    accessKeyId,
    secretAccessKey,
    folder: join(folder, "objects", bucket),
    async close() {
      child.kill("SIGTERM");
      await new Promise((ended) => (child.exitCode === null && child.signalCode === null ? child.once("exit", ended) : ended(null)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(endpoint: string, child: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended with ${child.exitCode}: ${said()}`);
    try {
      await fetch(endpoint);
      return;
    } catch {
      // not yet
      await pause(100);
    }
  }
  child.kill("SIGKILL");
  throw new Error(`the S3 server does not answer at ${endpoint}: ${said()}`);
}

const freePort = (address: string): Promise<number> =>
  new Promise((done, fail) => {
    const probe = createServer();
    probe.on("error", fail);
    probe.listen(0, address, () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
