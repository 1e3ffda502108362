// The life of a provider process: listen, say so, load the resources, answer, end when told or when core is gone.
import { rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import type { Provider } from "../framework/resource.js";
import { createServerCertificate } from "./certificate.js";
import { createGrpcServer, type GrpcRoutes, type Unary } from "./grpc-server.js";
import { chooseListen, handshakeLine, type Listen, speaksProtocol6, startedByTerraform } from "./handshake.js";
import { createLog } from "./log.js";
import { providerService } from "./messages.js";
import { createServices, createSession, type Handler, type Log, type Session } from "./services.js";
import { decode, encode } from "./wire.js";

const prefix = "/tfplugin6.Provider/";

/** Routes whose handlers come from a provider that is still being loaded. */
export function providerRoutes(
  load: () => Promise<Provider>,
  log: Log,
  ended: () => void,
): { routes: GrpcRoutes; session: () => Promise<Session> } {
  let loaded: Promise<{ session: Session; services: Readonly<Record<string, Handler>> }> | undefined;
  const ready = () => {
    loaded ??= load().then((provider) => {
      const session = createSession(provider, log);
      return { session, services: createServices(session) };
    });
    return loaded;
  };
  const unary: Record<string, Unary> = {};
  for (const [name, { request, response }] of Object.entries(providerService)) {
    unary[prefix + name] = async (bytes) => {
      const handler = (await ready()).services[name];
      if (!handler) throw new Error(`${name} has no handler`);
      return encode(response, await handler(decode(request, bytes)));
    };
  }
  unary["/plugin.GRPCController/Shutdown"] = async () => {
    ended();
    return Buffer.alloc(0);
  };
  // field 1, varint 1: SERVING
  unary["/grpc.health.v1.Health/Check"] = async () => Buffer.from([0x08, 0x01]);
  return {
    routes: { unary, silent: ["/plugin.GRPCStdio/StreamStdio", "/plugin.GRPCBroker/StartStream"] },
    session: async () => (await ready()).session,
  };
}

function removeSocket(listen: Listen): void {
  if (listen.network === "unix") rmSync(dirname(listen.path), { recursive: true, force: true });
}

/** Ends the process when core dies without a word (kill -9): its pid is then no longer our parent. */
function watchParent(gone: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) gone();
  }, 2000).unref();
}

export async function serve(load: () => Promise<Provider>, version: string): Promise<void> {
  if (!startedByTerraform(process.env)) {
    process.stderr.write(
      `honest-paas provider ${version}: Terraform and OpenTofu start this program themselves. Put it where they find it with: honest-paas provider install\n`,
    );
    process.exit(1);
  }
  if (!speaksProtocol6(process.env)) {
    process.stderr.write("This provider speaks plugin protocol 6: Terraform 1.8 or OpenTofu 1.8 or newer is needed.\n");
    process.exit(1);
  }
  const log = createLog();
  // core sends StopProvider; the signal reaches the whole process group and would cut an apply in two
  process.on("SIGINT", () => undefined);
  const listen = chooseListen(process.env);
  process.on("exit", () => removeSocket(listen));
  const crash = (cause: unknown): void => {
    // core prints what follows "panic:" as the plugin's stack trace
    process.stderr.write(`panic: ${cause instanceof Error ? cause.stack : String(cause)}\n`);
    process.exit(2);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);

  const clientCert = process.env.TF_DISABLE_PLUGIN_TLS ? undefined : process.env.PLUGIN_CLIENT_CERT;
  const certificate = clientCert ? createServerCertificate() : null;
  // exit after the answer has left: core waits two seconds for a process that stays
  const provider = providerRoutes(load, log, () => setTimeout(() => process.exit(0), 5));
  const server = createGrpcServer({
    routes: provider.routes,
    ...(certificate && clientCert ? { tls: { certificate, clientCertPem: clientCert } } : {}),
  });
  watchParent(() => {
    void provider.session().then((session) => {
      session.stop.abort(new Error("Terraform is gone"));
      // resources get a moment to write down what they did
      setTimeout(() => process.exit(1), 3000);
    });
  });
  server.on("error", crash);
  const listening = (): void => {
    const address = listen.network === "unix" ? listen.path : `${listen.host}:${(server.address() as AddressInfo).port}`;
    process.stdout.write(handshakeLine(address, listen.network, certificate?.der ?? null, process.env));
    setImmediate(() => void provider.session().catch(crash));
  };
  if (listen.network === "unix") server.listen(listen.path, listening);
  else server.listen(0, listen.host, listening);
}
