// Starts a vendor's plugin as core would, in a session of its own, and gives back its client. The process ends with `close`,
// with ours, or at the next start of ours if we are killed (socket-dir.ts).
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../framework/resource.js";
import { createServerCertificate, type ServerCertificate } from "../protocol/certificate.js";
import { createClient, type Transport } from "./client.js";
import { connectGrpc, type GrpcClient, GrpcError, unimplemented } from "./grpc-client.js";
import { keepLastWords, type LastWords } from "./last-words.js";
import { rpcs, servicePrefix } from "./messages.js";
import { identityOf } from "./process-identity.js";
import { makeSocketDir, noteVendor, removeSocketDir, sweepSocketDirs } from "./socket-dir.js";
import { type Vendor, VendorLost, VendorProblem } from "./vendor.js";
import { vendorEnv } from "./vendor-env.js";
import { type Handshake, parseHandshake } from "./vendor-handshake.js";

export interface Patience {
  /** From the start to the handshake line. @default 60 000, as core's */
  readonly handshakeMs: number;
  /** Any call but apply, whose limit is the vendor's own `timeouts`. @default 600 000 */
  readonly callMs: number;
  /** How often a connection is asked for a sign of life, and how long that may take. @default 330 000 and 60 000 */
  readonly pingMs: number;
  readonly pongMs: number;
  /** From Shutdown to SIGKILL. @default 1500: core gives ourselves two seconds */
  readonly closeMs: number;
}
const usual: Patience = { handshakeMs: 60_000, callMs: 600_000, pingMs: 330_000, pongMs: 60_000, closeMs: 1500 };

export interface LaunchOptions {
  /** The plugin's executable, checked already (locate.ts). */
  readonly program: string;
  /** See `Vendor.name`. */
  readonly name: string;
  readonly log: Log;
  /** @default this process's */
  readonly env?: NodeJS.ProcessEnv;
  /** Vendors look for files such as clouds.yaml there. @default this process's */
  readonly cwd?: string;
  readonly terraformVersion?: string;
  readonly patience?: Partial<Patience>;
}

interface Started {
  readonly child: ChildProcess;
  /** How it ended, once it has. */
  readonly exit: Promise<string>;
  readonly lastWords: LastWords;
  readonly handshake: Handshake;
}

export async function launchVendor(options: LaunchOptions): Promise<Vendor> {
  const patience = { ...usual, ...options.patience };
  sweepSocketDirs(options.log);
  const socketDir = makeSocketDir();
  const certificate = createServerCertificate();
  try {
    const started = await start(options, patience, certificate, socketDir);
    try {
      const grpc = await connectGrpc({
        ...patience,
        certificate,
        address: started.handshake.address,
        pinned: started.handshake.certificate,
      });
      return vendorOf(options, patience, started, grpc, socketDir);
    } catch (cause) {
      started.child.kill("SIGKILL");
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new VendorProblem(
        `${options.name} cannot be spoken to`,
        withWords(`${options.program} said that it listens, but: ${why}.`, started.lastWords),
      );
    }
  } catch (cause) {
    removeSocketDir(socketDir);
    throw cause;
  }
}

const withWords = (text: string, lastWords: LastWords): string => {
  const words = lastWords.text();
  return words === "" ? text : `${text}\n\n${words}`;
};

function spawnPlugin({ program, cwd, env = process.env }: LaunchOptions, certificate: ServerCertificate, socketDir: string): ChildProcess {
  return spawn(program, [], {
    // a session of its own: ctrl-C of a terminal goes to the whole group, and the vendor has to end its work
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: vendorEnv(env, { certPem: certificate.certPem, socketDir }),
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** A file that was written a moment ago may still be open in a process that somebody else is starting. */
async function spawned(make: () => ChildProcess): Promise<ChildProcess | NodeJS.ErrnoException> {
  for (let attempt = 1; ; attempt += 1) {
    const child = make();
    const failed = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
      child.once("spawn", () => resolve(null));
      child.once("error", resolve);
    });
    if (failed === null) return child;
    if (failed.code !== "ETXTBSY" || attempt === 5) return failed;
    await sleep(100 * attempt);
  }
}

async function start(options: LaunchOptions, patience: Patience, certificate: ServerCertificate, socketDir: string): Promise<Started> {
  const { program, name, log } = options;
  const child = await spawned(() => spawnPlugin(options, certificate, socketDir));
  if (child instanceof Error) throw new VendorProblem(`${name} cannot be started`, `${program}: ${startHint(child)}`);
  const lastWords = keepLastWords(log, name);
  if (child.stderr) createInterface({ input: child.stderr }).on("line", (line) => lastWords.line(line));
  if (child.pid !== undefined) noteVendor(socketDir, child.pid);
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.removeListener("exit", end));
  const exit = new Promise<string>((resolve) => {
    child.once("close", (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`));
  });
  const line = await firstLine(child, patience.handshakeMs);
  const handshake = typeof line === "string" ? parseHandshake(line) : line.why;
  if (typeof handshake !== "string") return { child, exit, lastWords, handshake };
  child.kill("SIGKILL");
  throw new VendorProblem(`${name} does not answer as a provider`, withWords(`${program}: ${handshake}.`, lastWords));
}

function startHint(cause: NodeJS.ErrnoException): string {
  const hints: Readonly<Record<string, string>> = {
    ENOEXEC:
      "it is no program for this machine. Its download may be broken or for another platform; remove it and run terraform init again.",
    EACCES: "it may not be executed. Its folder may be mounted noexec; remove it and run terraform init again.",
    ENOENT: "it, or the interpreter that it names, is not there. Run terraform init.",
  };
  return hints[cause.code ?? ""] ?? cause.message;
}

function firstLine(child: ChildProcess, limitMs: number): Promise<string | { readonly why: string }> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ why: `it said nothing within ${Math.round(limitMs / 1000)} s of its start` }), limitMs);
    const settle = (result: string | { readonly why: string }): void => {
      clearTimeout(timer);
      resolve(result);
    };
    // later lines are read as well, so that the vendor never waits for room to write
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => settle(line));
    // "close", not "exit": its last words are then read
    child.once("close", (code, signal) => settle({ why: `it ended at once, ${signal ? `by ${signal}` : `with exit code ${code}`}` }));
  });
}

function vendorOf(options: LaunchOptions, patience: Patience, started: Started, grpc: GrpcClient, socketDir: string): Vendor {
  const { child, exit, lastWords } = started;
  const { name } = options;
  let closing = false;
  void exit.then(() => {
    grpc.destroy();
    removeSocketDir(socketDir);
  });
  // the connection breaks a moment before the process has ended and its panic is read
  const lost = async (cause: GrpcError, call: string): Promise<VendorLost> => {
    const how = await Promise.race([exit, sleep(1000, null)]);
    const why = how === null ? cause.message : `its process ${how}`;
    return new VendorLost(`${name} gave no answer to ${call}: ${why}`, lastWords.text());
  };
  const { protocol } = started.handshake;
  const applyPath = `${servicePrefix[protocol]}${rpcs.apply.names[protocol]}`;
  const transport: Transport = {
    protocol,
    process: child.pid === undefined ? null : identityOf(child.pid),
    alive: () => !closing && child.exitCode === null && child.signalCode === null && grpc.alive(),
    async call(path, request) {
      try {
        return await grpc.call(path, request, path === applyPath ? null : patience.callMs);
      } catch (cause) {
        if (!(cause instanceof GrpcError)) throw cause;
        const call = path.slice(path.lastIndexOf("/") + 1);
        if (cause.status === unimplemented)
          throw new VendorProblem(`${name} has no ${call}`, "Another version of this provider is needed.");
        throw await lost(cause, call);
      }
    },
    async close() {
      if (closing) return;
      closing = true;
      try {
        await grpc.call("/plugin.GRPCController/Shutdown", new Uint8Array(), patience.closeMs);
      } catch (cause) {
        // it is ended below, or has ended already
        options.log("debug", `${name} did not answer to Shutdown: ${cause instanceof Error ? cause.message : String(cause)}`);
      }
      if ((await Promise.race([exit, sleep(patience.closeMs, null)])) !== null) return;
      child.kill("SIGKILL");
      await exit;
    },
  };
  return createClient(transport, { name, terraformVersion: options.terraformVersion ?? "1.11.0" });
}
