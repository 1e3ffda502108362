// The way to an endpoint, against real sockets on loopback: each step that can fail.
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import { afterEach, expect, it } from "vitest";
import { reachOf } from "../../../../../provider/cli/diagnosis/handshake.js";
import { openWorld } from "../../../../support/open-world.js";
import { createCa, createServer } from "../../../../support/stand-in/certificates.js";

openWorld("sockets");
const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((done) => server.close(done));
});
const listen = async (server: Server): Promise<number> => {
  open.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
};
const api = (pair: { readonly cert: string; readonly key: string }, body = "[+]ping ok\n[-]etcd failed\n", status = 500) =>
  listen(
    createHttps(pair, (_, reply) => {
      reply.writeHead(status, { "content-type": "text/plain", date: "Mon, 01 Jun 2026 12:00:00 GMT" });
      reply.end(body);
    }),
  );

it("says what the API server says, and its clock", async () => {
  const ca = await createCa("x");
  const port = await api(await createServer(ca));
  expect(await reachOf(`https://127.0.0.1:${port}`, ca.cert)).toMatchObject({
    kind: "tls",
    problem: null,
    status: 500,
    body: "[+]ping ok\n[-]etcd failed\n",
    clock: Date.parse("2026-06-01T12:00:00Z"),
  });
});

it("goes on behind a certificate of another authority, and says so", async () => {
  const port = await api(await createServer(await createCa("other")), "ok", 200);
  const found = await reachOf(`https://127.0.0.1:${port}`, (await createCa("x")).cert);
  expect(found).toMatchObject({ kind: "tls", status: 200, problem: expect.stringMatching(/SELF_SIGNED|UNABLE_TO|SIGNATURE/) });
});

it.each([
  ["has ended", -48, -24, "127.0.0.1", "CERT_HAS_EXPIRED"],
  ["has not begun", 24, 48, "127.0.0.1", "CERT_NOT_YET_VALID"],
  ["is for another address", -24, 24, "10.0.0.1", "ERR_TLS_CERT_ALTNAME_INVALID"],
] as const)("names what is wrong with a certificate that %s", async (_, from, to, address, problem) => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const ca = await createCa("x");
  const port = await api(await createServer(ca, address, { notBefore: at(from), notAfter: at(to) }), "ok", 200);
  expect(await reachOf(`https://127.0.0.1:${port}`, ca.cert)).toMatchObject({ kind: "tls", problem, status: 200 });
});

it("tells a connection that is cut from one that nobody takes", async () => {
  const port = await listen(createTcp((socket) => socket.destroy()));
  expect(await reachOf(`https://127.0.0.1:${port}`, "")).toMatchObject({ kind: "cut" });
  expect(await reachOf("https://127.0.0.1:1", "")).toMatchObject({ kind: "silent", code: "ECONNREFUSED" });
});

it("tells a name without an address", async () => {
  expect(await reachOf("https://no-such-name.invalid:6443", "")).toMatchObject({ kind: "unresolved", name: "no-such-name.invalid" });
});
