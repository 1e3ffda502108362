import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { servedCertificates } from "../../../../../provider/cli/status/served.js";
import { openWorld } from "../../../../support/open-world.js";
import { createCa, createServer } from "../../../../support/stand-in/certificates.js";

openWorld("sockets");
let server: ReturnType<typeof createTlsServer>;
let port = 0;
beforeAll(async () => {
  const ca = await createCa("x");
  // as an API server: it wants a certificate of ours and takes a handshake without one
  server = createTlsServer({ ...(await createServer(ca)), ca: ca.cert, requestCert: true, rejectUnauthorized: false });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((done) => server.close(done)));

it("sees a certificate that it does not believe, once", async () => {
  const seen = await servedCertificates(`https://127.0.0.1:${port}`, 3);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.subjectAltName).toContain("127.0.0.1");
});

it("sees nothing where nobody answers", async () => {
  expect(await servedCertificates("https://127.0.0.1:1", 1)).toEqual([]);
});
