// A provider that any terraform can attach to, from any process: each connection is a life of its own, as each start of a
// provider's process is, so that nothing that is read once is carried from a plan to the next.
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { Provider } from "../../provider/framework/resource.js";
import { createGrpcServer } from "../../provider/protocol/grpc-server.js";
import { createLog } from "../../provider/protocol/log.js";
import { pluginRoutes } from "../../provider/protocol/plugin-routes.js";
import { createServed } from "../../provider/protocol/served.js";

export interface ServedProvider {
  /** What terraform has to have in its environment. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function serveProvider(provider: Provider, socketPath: string): Promise<ServedProvider> {
  const open = new Set<Socket>();
  const listener = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    const served = createServed(
      provider,
      createLog(() => undefined),
    );
    const routes = pluginRoutes(
      async () => served,
      () => undefined,
    );
    createGrpcServer({ routes }).emit("connection", socket);
  });
  await new Promise<void>((done) => listener.listen(socketPath, done));
  const attach = { Protocol: "grpc", ProtocolVersion: 6, Pid: process.pid, Test: true, Addr: { Network: "unix", String: socketPath } };
  return {
    env: { TF_REATTACH_PROVIDERS: JSON.stringify({ "registry.terraform.io/honest-paas/honest": attach }) },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((done) => listener.close(() => done()));
      rmSync(socketPath, { force: true });
    },
  };
}
