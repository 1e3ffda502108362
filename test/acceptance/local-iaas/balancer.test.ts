// The balancer through a real terraform: a real haproxy in front of TLS servers inside machines.
import { createServer } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { execIn } from "../../../provider/engine/exec.js";
import { type Lab, noEngine, openLab, until } from "./fixture.js";

const reason = await noEngine();
const address = "honest_local_balancer.api";

// An API server as haproxy sees it: TLS, /readyz, and its own name in the answer.
const api = `
import http.server, ssl, socket, subprocess
subprocess.run("openssl req -x509 -newkey rsa:2048 -nodes -keyout /root/k -out /root/c -days 2 -subj /CN=api".split(), check=True)
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = socket.gethostname().encode()
        self.send_response(200); self.send_header("content-length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("", 6443), H)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain("/root/c", "/root/k")
s.socket = c.wrap_socket(s.socket, server_side=True); s.serve_forever()
`;

/** Name of the machine that answers at the published port; null when none does. */
const ask = (port: number): Promise<string | null> =>
  new Promise((done) => {
    let text = "";
    const socket = tlsConnect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => socket.write("GET /readyz HTTP/1.0\r\n\r\n"));
    socket.setTimeout(2000, () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      text += chunk;
    });
    socket.on("error", () => done(null));
    socket.on("close", () => done(/200/.test(text) ? (text.split("\r\n\r\n")[1] ?? "") : null));
  });

describe.skipIf(reason !== null)(`balancer${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let lab: Lab;
  const both = { "cp-a": "10.212.2.11:6443", "cp-b": "10.212.2.12:6443" };
  const second = { address: "10.212.2.12", user_data_base64: Buffer.from("#cloud-config\nlocale: false\n").toString("base64") };
  const parts = (balancer: object): object => ({ disks: [], worker: second, balancer });
  const serve = async (container: string): Promise<void> => {
    const done = await execIn(lab.engine, container, ["systemd-run", "--unit=api", "python3", "-c", api]);
    expect(done.code, done.stderr).toBe(0);
  };
  const portOf = async (): Promise<number> => (await lab.resource(address)).values.published_port as number;

  beforeAll(async () => {
    lab = await openLab(2);
  });
  afterAll(() => lab?.close());

  it("publishes a port that it chose once, and sends to the server that is ready", async () => {
    await lab.apply(parts({}));
    await serve(`${lab.cluster}-cp-a`);
    const { values } = await lab.resource(address);
    expect(values.endpoint).toBe(`https://127.0.0.1:${values.published_port}`);
    await until("an answer", 30, async () => (await ask(await portOf())) === `${lab.cluster}-cp-a`);
    // Reached in the network by its fixed address too.
    const inside = await lab.engine.execIn(`${lab.cluster}-cp-a`, ["curl", "-sk", "https://10.212.2.10:6443/readyz"]);
    expect(inside.stdout).toBe(`${lab.cluster}-cp-a`);
  });

  it("takes another backend by a reload, with an open connection unharmed", async () => {
    const port = await portOf();
    const before = await lab.engine.json<{ Id: string; State: { StartedAt: string } }>(`/containers/${lab.cluster}-api/json`);
    const open = tlsConnect({ host: "127.0.0.1", port, rejectUnauthorized: false });
    await new Promise((wake) => open.once("secureConnect", wake));
    let closed = false;
    open.on("close", () => {
      closed = true;
    });
    await lab.apply(parts({ backends: both }));
    await serve(`${lab.cluster}-blue-a-0`);
    const seen = new Set<string>();
    await until("both answer", 30, async () => {
      const who = await ask(port);
      if (who) seen.add(who);
      return seen.size === 2;
    });
    const after = await lab.engine.json<{ Id: string; State: { StartedAt: string } }>(`/containers/${lab.cluster}-api/json`);
    expect([after.Id, after.State.StartedAt]).toEqual([before.Id, before.State.StartedAt]);
    expect(closed).toBe(false);
    open.destroy();
    expect(await portOf()).toBe(port);
  });

  it("passes over a server that is down", async () => {
    const port = await portOf();
    await lab.engine.execIn(`${lab.cluster}-cp-a`, ["systemctl", "stop", "api"]);
    await until("only the other answers", 20, async () => {
      const who = await Promise.all([ask(port), ask(port), ask(port), ask(port)]);
      return who.every((name) => name === `${lab.cluster}-blue-a-0`);
    });
  });

  it("is started again, and gets its servers back when somebody changed them", async () => {
    await (await lab.engine.call(`/containers/${lab.cluster}-api/stop`, { method: "POST", query: { t: 1 } })).bytes();
    await lab.apply(parts({ backends: both }));
    const { putFiles } = await import("../../../provider/engine/archive.js");
    const { renderHaproxy } = await import("../../../provider/engine/haproxy-config.js");
    await putFiles(lab.engine, `${lab.cluster}-api`, [
      { path: "/etc/honest-local/haproxy.cfg", content: renderHaproxy({ port: 6443, backends: { other: "10.212.2.99:6443" } }) },
    ]);
    const plan = await lab.tf.plan();
    expect(plan.json.resource_changes?.find((c) => c.address === address)?.change.actions).toEqual(["update"]);
    await lab.apply(parts({ backends: both }));
    await until("it answers", 20, async () => (await ask(await portOf())) === `${lab.cluster}-blue-a-0`);
  });

  it("is made anew with the same port when it vanished", async () => {
    const port = await portOf();
    await lab.engine.drop(`/containers/${lab.cluster}-api`, { force: true });
    await lab.apply(parts({ backends: both }));
    expect(await portOf()).toBe(port);
  });

  it("moves to a port that is asked for, and fails when that is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((wake) => server.once("listening", wake));
    const { port } = server.address() as { port: number };
    lab.tf.write({ "main.tf.json": lab.config(parts({ backends: both, published_port: port }) as never) });
    const { stderr } = await lab.tf.apply([], { expectFail: true });
    expect(stderr.replace(/[│\s]+/g, " ")).toMatch(new RegExp(`The port ${port} is taken.*iaas\\.local\\.published_port`));
    await new Promise((wake) => server.close(wake));
    await lab.apply(parts({ backends: both, published_port: port }));
    expect(await portOf()).toBe(port);
    await until("it answers", 20, async () => (await ask(port)) === `${lab.cluster}-blue-a-0`);
  });

  it("leaves nothing after destroy", async () => {
    await lab.tf.destroy();
    expect(await lab.engine.listOwned(lab.cluster)).toEqual([]);
  });
});
