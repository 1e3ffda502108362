// A cluster whose address is in no certificate, as the public one of a cloud: checked by the name that nodes use.
import { createServer as listen, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reachOf } from "../../../provider/cli/diagnosis/handshake.js";
import { connect } from "../../../provider/kube/client.js";
import { createCa, createServer, issueTestClient, type KeyPair } from "../../support/stand-in/certificates.js";

let server: Server;
let ca: KeyPair;
let endpoint: string;

beforeAll(async () => {
  ca = await createCa("demo");
  // Its certificate names an address of the cluster's network and "localhost"; it is reached at 127.0.0.1.
  const { cert, key } = await createServer(ca, "10.98.0.10");
  server = listen({ cert, key, ca: ca.cert, requestCert: true }, (_, reply) => reply.end("ok"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));

const ask = async (server_name: string | null) => {
  const client = connect(
    { endpoint, ca_bundle: ca.cert, client_ca_cert: ca.cert, client_ca_key: ca.key, server_name },
    { issue: issueTestClient },
  );
  try {
    return await client.raw("/readyz");
  } finally {
    await client.close();
  }
};

it("is believed by the name that the access gives", async () => {
  expect(await ask("localhost")).toEqual({ ok: true, value: "ok" });
});

it("is refused by its address and by another name", async () => {
  for (const name of [null, "api.other.honest.internal"])
    expect(await ask(name)).toMatchObject({ ok: false, failure: { kind: "unreachable", message: expect.stringMatching(/altnames/) } });
});

it("is looked at by that name by doctor too", async () => {
  expect(await reachOf(endpoint, ca.cert, "localhost")).toMatchObject({ kind: "tls", problem: null });
  expect(await reachOf(endpoint, ca.cert)).toMatchObject({ kind: "tls", problem: "ERR_TLS_CERT_ALTNAME_INVALID" });
});
