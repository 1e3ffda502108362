// The life of a provider process: listen, say so, load the resources, answer, end when told or when core is gone.
import { rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname } from "node:path";
import type { Log } from "../framework/resource.js";
import { createServerCertificate } from "./certificate.js";
import type { GrpcServer } from "./grpc-server.js";
import { chooseListen, handshakeLine, speaksProtocol6, startedByTerraform } from "./handshake.js";
import { createLog } from "./log.js";
import { pluginRoutes } from "./plugin-routes.js";
import { progressVariable, withProgress } from "./progress.js";
import type { Served } from "./served.js";

export interface ServeOptions {
  readonly version: string;
  /** The way to standard output, for the one line. */
  readonly write: (line: string) => void;
}

/** What resources that are told to stop get at most to write down what they did. */
const farewellMs = 10_000;

/** Core that is killed says nothing: its pid is then no longer our parent. */
function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    gone();
  }, 2000);
  watch.unref();
}

/** What core shows when there is no handshake: the first line of standard output. */
function refusal(env: NodeJS.ProcessEnv, version: string): string | null {
  if (!startedByTerraform(env))
    return `honest-paas provider ${version}: Terraform and OpenTofu start this program themselves. Put it where they find it with: honest-paas provider install`;
  return speaksProtocol6(env) ? null : "This provider speaks plugin protocol 6: Terraform 1.8 or OpenTofu 1.8 or newer is needed.";
}

export async function serve(load: (log: Log) => Promise<Served>, { version, write }: ServeOptions): Promise<void> {
  const refused = refusal(process.env, version);
  if (refused !== null) {
    write(`${refused}\n`);
    process.exit(1);
  }
  const crash = (cause: unknown): void => {
    // core prints what follows "panic:" as the plugin's stack trace
    process.stderr.write(`panic: ${cause instanceof Error ? cause.stack : String(cause)}\n`);
    process.exit(2);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);

  const log = withProgress(createLog(), process.env[progressVariable]);
  let loaded: Promise<Served> | undefined;
  const served = (): Promise<Served> => {
    loaded ??= load(log);
    return loaded;
  };
  const farewell = (reason: string): void => {
    setTimeout(() => process.exit(1), farewellMs);
    // the answers leave first, in case somebody still reads them
    const end = (): unknown => setTimeout(() => process.exit(1), 20);
    served()
      .then((it) => it.stop(reason))
      .then(end, crash);
  };
  // A signal of the terminal reaches the whole process group and would cut an apply in two. After ctrl-C core sends
  // StopProvider; after a hang-up it is gone, which the watch sees.
  process.on("SIGINT", () => undefined);
  process.on("SIGHUP", () => undefined);
  process.on("SIGTERM", () => farewell("the provider was asked to end"));
  watchParent(() => farewell("Terraform is gone"));

  const listen = chooseListen(process.env);
  if (listen.network === "unix") process.on("exit", () => rmSync(dirname(listen.path), { recursive: true, force: true }));
  const clientCert = process.env.TF_DISABLE_PLUGIN_TLS ? undefined : process.env.PLUGIN_CLIENT_CERT;
  const certificate = clientCert ? createServerCertificate() : null;
  // HTTP/2 and TLS take as long to load as all that comes before the line: they come after it, while core dials
  let grpc: Promise<GrpcServer> | undefined;
  const answering = (): Promise<GrpcServer> => {
    grpc ??= import("./grpc-server.js").then(({ createGrpcServer }) =>
      createGrpcServer({
        // exit after the answer has left: core waits two seconds for a process that stays
        routes: pluginRoutes(served, () => setTimeout(() => process.exit(0), 5)),
        ...(certificate && clientCert ? { tls: { certificate, clientCertPem: clientCert } } : {}),
      }),
    );
    return grpc;
  };
  const server = createServer((socket) => void answering().then((it) => it.emit("connection", socket), crash));
  server.on("error", crash);
  const listening = (): void => {
    const address = listen.network === "unix" ? listen.path : `${listen.host}:${(server.address() as AddressInfo).port}`;
    write(handshakeLine(address, listen.network, certificate?.der ?? null, process.env));
    setImmediate(() => answering().then(served).catch(crash));
  };
  if (listen.network === "unix") server.listen(listen.path, listening);
  else server.listen(0, listen.host, listening);
}
