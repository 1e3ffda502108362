import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { openWorld } from "../../../support/open-world.js";

// certificates come from openssl
openWorld("sockets", "processes");

const dir = mkdtempSync(join(tmpdir(), "hp-tls-"));
let server: Server;
const host = (): string => `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  const ssl = (...args: string[]): unknown => execFileSync("openssl", args, { cwd: dir, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  ssl("req", "-x509", ...key, "-keyout", "ca-key.pem", "-out", "ca.pem", "-days", "2", "-subj", "/CN=ca");
  for (const name of ["server", "client"]) {
    const out = name === "client" ? "key.pem" : "server-key.pem";
    ssl("req", ...key, "-keyout", out, "-out", "x.csr", "-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1");
    const cert = name === "client" ? "cert.pem" : "server.pem";
    ssl(
      "x509",
      "-req",
      "-in",
      "x.csr",
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca-key.pem",
      "-CAcreateserial",
      "-out",
      cert,
      "-days",
      "2",
      "-copy_extensions",
      "copy",
    );
  }
  const read = (file: string): Buffer => readFileSync(join(dir, file));
  server = createServer(
    { ca: read("ca.pem"), cert: read("server.pem"), key: read("server-key.pem"), requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      response.end(JSON.stringify(request.url === "/version" ? { ApiVersion: "1.41" } : { url: request.url }));
    },
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(dir, { recursive: true });
});

it("speaks to a remote engine with the client's certificate", async () => {
  const core = createCore(parseHost(host(), { DOCKER_CERT_PATH: dir }));
  expect(await core.json("/info")).toEqual({ url: "/v1.41/info" });
  await core.close();
});

it("fails as unreachable when the engine's certificate is not of that authority", async () => {
  const core = createCore(parseHost(host().replace("tcp", "https"), {}));
  await expect(core.json("/info")).rejects.toMatchObject({ kind: "unreachable" });
  await core.close();
});
