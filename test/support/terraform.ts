// Acceptance harness: the provider runs inside the test (breakpoints, injected parts, no start cost) and a real terraform
// talks to it over TF_REATTACH_PROVIDERS.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Provider } from "../../provider/framework/resource.js";
import { createGrpcServer } from "../../provider/protocol/grpc-server.js";
import { createLog } from "../../provider/protocol/log.js";
import { pluginRoutes } from "../../provider/protocol/plugin-routes.js";
import { createServed } from "../../provider/protocol/served.js";

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ResourceChange {
  readonly address: string;
  readonly type: string;
  readonly change: {
    readonly actions: readonly string[];
    readonly before: Record<string, unknown> | null;
    readonly after: Record<string, unknown> | null;
    readonly after_unknown?: Record<string, unknown>;
    readonly replace_paths?: readonly unknown[];
  };
}
export interface PlanJson {
  readonly resource_changes?: readonly ResourceChange[];
  readonly resource_drift?: readonly ResourceChange[];
}
export interface StateResource {
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly tainted?: boolean;
  readonly values: Record<string, unknown>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A failing command is what the test wants to see; otherwise it fails the test with terraform's words. */
  readonly expectFail?: boolean;
  readonly started?: (pid: number) => void;
}

export interface Workspace {
  readonly dir: string;
  /** Strings are written as they are, data as JSON (name it .tf.json). */
  write(files: Readonly<Record<string, string | object>>): void;
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs it, whatever its exit code will be. */
  attempt(args: readonly string[]): Promise<RunResult>;
  init(): Promise<RunResult>;
  apply(args?: readonly string[], options?: RunOptions): Promise<RunResult>;
  plan(
    args?: readonly string[],
    options?: RunOptions,
  ): Promise<{ readonly exitCode: number; readonly text: string; readonly json: PlanJson }>;
  expectEmptyPlan(args?: readonly string[]): Promise<void>;
  resources(): Promise<readonly StateResource[]>;
  destroy(args?: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** What the provider logged, a JSON object a line. */
  log(): string;
  close(): Promise<void>;
}

export interface WorkspaceOptions {
  readonly provider: Provider;
  /** @default "terraform" */
  readonly engine?: "terraform" | "tofu";
  /** Path of the engine. @default what PATH has under its name */
  readonly program?: string | undefined;
  /** @default "honest-paas/honest" */
  readonly source?: string;
  /** More providers of the same configuration, by source. */
  readonly others?: Readonly<Record<string, Provider>>;
  /** CLI configuration: where other providers are found. @default none */
  readonly cliConfig?: string;
  /** For every command, beside the test's own. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function workspace(options: WorkspaceOptions): Promise<Workspace> {
  const engine = options.engine ?? "terraform";
  const host = engine === "tofu" ? "registry.opentofu.org" : "registry.terraform.io";
  const source = options.source ?? "honest-paas/honest";
  const dir = mkdtempSync(join(tmpdir(), "hp-acc-"));
  const providers = Object.entries({ [source]: options.provider, ...options.others }).map(([of, provider], n) => ({
    source: of,
    provider,
    socket: join(dir, `p${n}.sock`),
  }));
  let logged = "";
  // each terraform command is a new life of the provider, as it is for real: caches and marks of one do not leak to the next
  const serveOne = async (provider: Provider, socket: string): Promise<() => Promise<void>> => {
    const served = createServed(
      provider,
      createLog((line) => {
        logged += line;
      }),
    );
    const routes = pluginRoutes(
      async () => served,
      () => undefined,
    );
    const server = createGrpcServer({ routes });
    const sessions = new Set<{ destroy(): void }>();
    server.on("session", (session) => {
      sessions.add(session);
      session.on("close", () => sessions.delete(session));
    });
    await new Promise<void>((done) => server.listen(socket, done));
    return async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((done) => server.close(() => done()));
      rmSync(socket, { force: true });
    };
  };
  const serveOnce = async (): Promise<() => Promise<void>> => {
    const stops = await Promise.all(providers.map(({ provider, socket }) => serveOne(provider, socket)));
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  };
  const reattach = Object.fromEntries(
    providers.map((one) => [
      `${host}/${one.source}`,
      { Protocol: "grpc", ProtocolVersion: 6, Pid: process.pid, Test: true, Addr: { Network: "unix", String: one.socket } },
    ]),
  );
  const env = {
    ...process.env,
    TF_REATTACH_PROVIDERS: JSON.stringify(reattach),
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    TF_CLI_CONFIG_FILE: join(dir, "cli.tfrc"),
    ...options.env,
  };
  writeFileSync(join(dir, "cli.tfrc"), options.cliConfig ?? "");

  const spawned = (args: readonly string[], runOptions: RunOptions): Promise<RunResult> =>
    new Promise((done, fail) => {
      const child = spawn(options.program ?? engine, args, {
        cwd: dir,
        env: { ...env, ...runOptions.env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk: Buffer) => {
        stdout += chunk;
      });
      child.stderr.on("data", (chunk: Buffer) => {
        stderr += chunk;
      });
      child.on("error", fail);
      child.on("close", (code) => done({ code: code ?? -1, stdout, stderr }));
      if (child.pid !== undefined) runOptions.started?.(child.pid);
    });

  const raw = async (args: readonly string[], runOptions: RunOptions): Promise<RunResult> => {
    const stop = await serveOnce();
    try {
      return await spawned(args, runOptions);
    } finally {
      await stop();
    }
  };

  const self: Workspace = {
    dir,
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(join(dir, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
      }
    },
    async run(args, runOptions = {}) {
      const result = await raw(args, runOptions);
      const failed = result.code !== 0;
      if (failed !== (runOptions.expectFail ?? false)) {
        throw new Error(`${engine} ${args.join(" ")} ended with ${result.code}:\n${result.stdout}\n${result.stderr}`);
      }
      return result;
    },
    attempt: (args) => raw(args, {}),
    init: () => self.run(["init", "-no-color", "-input=false"]),
    apply: (args = [], runOptions) => self.run(["apply", "-no-color", "-auto-approve", "-input=false", ...args], runOptions),
    async plan(args = [], runOptions = {}) {
      const file = "plan.bin";
      const planned = await raw(["plan", "-no-color", "-input=false", "-detailed-exitcode", `-out=${file}`, ...args], runOptions);
      if (planned.code === 1 && !runOptions.expectFail) throw new Error(`${engine} plan failed:\n${planned.stdout}\n${planned.stderr}`);
      const text = planned.stdout + planned.stderr;
      if (planned.code === 1) return { exitCode: 1, text, json: {} };
      const shown = await self.run(["show", "-json", file]);
      return { exitCode: planned.code, text, json: JSON.parse(shown.stdout) as PlanJson };
    },
    async expectEmptyPlan(args = []) {
      const result = await raw(["plan", "-no-color", "-input=false", "-detailed-exitcode", ...args], {});
      if (result.code !== 0) throw new Error(`the plan is not empty (exit code ${result.code}):\n${result.stdout}\n${result.stderr}`);
    },
    async resources() {
      const shown = await self.run(["show", "-json"]);
      const parsed = JSON.parse(shown.stdout) as { values?: { root_module?: { resources?: StateResource[] } } };
      return parsed.values?.root_module?.resources ?? [];
    },
    destroy: (args = [], runOptions) => self.run(["destroy", "-no-color", "-auto-approve", "-input=false", ...args], runOptions),
    log: () => logged,
    async close() {
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return self;
}
