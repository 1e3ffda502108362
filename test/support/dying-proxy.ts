// Stands between a client and the Docker engine and ends after a number of requests: by cutting every connection, as if the
// client was killed at that moment, or by going away with its socket, as an engine that is stopped.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DyingProxy {
  readonly host: string;
  /** Requests that are let through from now on; the next one is cut before the engine sees it. */
  allow(requests: number): void;
  /** After so many requests that change something, whatever is open ends, and the socket is gone until start(). */
  stopAfter(changes: number): void;
  /** Takes requests without end. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function dyingProxy(engineSocket: string): Promise<DyingProxy> {
  const dir = mkdtempSync(join(tmpdir(), "hp-dying-"));
  const socket = join(dir, "d.sock");
  let left = 0;
  let stops = false;
  let server: Server | undefined;
  let gone: Promise<void> = Promise.resolve();
  const stop = (): Promise<void> => {
    const stopping = server;
    if (!stopping) return gone;
    server = undefined;
    // closing takes the socket's file with it
    gone = new Promise<void>((done) => stopping.close(() => done()));
    stopping.closeAllConnections();
    return gone;
  };
  const listen = async (): Promise<void> => {
    await gone;
    const fresh = createServer((incoming, outgoing) => {
      const counts = !stops || !["GET", "HEAD"].includes(incoming.method ?? "");
      if (left <= 0 && counts) {
        if (stops) void stop();
        else outgoing.destroy();
        return;
      }
      if (counts) left -= 1;
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
    await new Promise<void>((done) => fresh.listen(socket, done));
    server = fresh;
  };
  await listen();
  return {
    host: `unix://${socket}`,
    allow(requests) {
      left = requests;
      stops = false;
    },
    stopAfter(changes) {
      left = changes;
      stops = true;
    },
    async start() {
      left = Number.POSITIVE_INFINITY;
      if (!server) await listen();
    },
    async close() {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
