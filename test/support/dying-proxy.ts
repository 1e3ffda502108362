// Stands between a client and the Docker engine and cuts every connection after a number of requests: to the engine it
// looks as if the client was killed at that moment.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DyingProxy {
  readonly host: string;
  /** Requests that are let through from now on; the next one is cut before the engine sees it. */
  allow(requests: number): void;
  close(): Promise<void>;
}

export async function dyingProxy(engineSocket: string): Promise<DyingProxy> {
  const dir = mkdtempSync(join(tmpdir(), "hp-dying-"));
  const socket = join(dir, "d.sock");
  let left = 0;
  const server = createServer((incoming, outgoing) => {
    if (left <= 0) {
      outgoing.destroy();
      return;
    }
    left -= 1;
    const through = request(
      { socketPath: engineSocket, path: incoming.url, method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    through.on("error", () => outgoing.destroy());
    incoming.pipe(through);
  });
  await new Promise<void>((done) => server.listen(socket, done));
  return {
    host: `unix://${socket}`,
    allow(requests) {
      left = requests;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
