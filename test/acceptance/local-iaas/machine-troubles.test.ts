// Real machines in trouble: one that does not get through its boot stage, one whose disk finds no room, and the names that
// pods resolve on a network with a way out.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { machineTroubles } from "../../../provider/cli/demo/machines.js";
import { type Lab, noEngine, openLab, until } from "./fixture.js";

const reason = await noEngine();
const flat = (text: string): string => text.replace(/[│╷╵\s]+/g, " ");

describe.skipIf(reason !== null)(`machines in trouble${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab(12);
  });
  afterEach(async () => {
    await lab.tf.destroy();
    expect(await lab.engine.listOwned(lab.cluster)).toEqual([]);
  });
  afterAll(() => lab?.close());
  const name = (): string => `${lab.cluster}-cp-a`;
  const inside = async (script: string): Promise<string> => {
    const done = await lab.engine.execIn(name(), ["sh", "-c", script]);
    expect(done.code, done.stderr).toBe(0);
    return done.stdout.trim();
  };
  const withUserData = (lines: readonly string[]) => ({
    disks: [],
    machine: { user_data_base64: Buffer.from(["#cloud-config", "locale: false", ...lines].join("\n")).toString("base64") },
  });

  it("that never boots: stage, reason and console; one that is ready is not named", async () => {
    const marker = (stage: string, ok: boolean, text: string) => JSON.stringify({ stage, ok, reason: text, at: "2026-01-01T00:00:00Z" });
    const put = (content: string): string => `mkdir -p /var/lib/honest-paas && echo '${content}' > /var/lib/honest-paas/marker.json`;
    await lab.apply(withUserData(["runcmd:", "- [sh, -c, 'echo \"honest: artefacts: error: no mirror\" > /dev/console; touch /said']"]));
    const early = (await machineTroubles(lab.engine, lab.cluster)).join("\n");
    expect(early).toContain(`machine ${name()}: no stage has begun`);
    await until("the console has it", 60, async () => (await lab.engine.execIn(name(), ["test", "-e", "/said"])).code === 0);
    await inside(put(marker("artefacts", false, "no mirror at http://10.0.0.1")));
    const told = (await machineTroubles(lab.engine, lab.cluster)).join("\n");
    expect(told).toContain(
      `machine ${name()}: stage "artefacts" is not done: no mirror at http://10.0.0.1 (marker of 2026-01-01T00:00:00Z)`,
    );
    expect(told).toContain("  | honest: artefacts: error: no mirror");
    expect(told).toContain(`docker logs ${name()}`);
    await inside(put(marker("ready", true, "")));
    expect(await machineTroubles(lab.engine, lab.cluster)).toEqual([]);
    await (await lab.engine.call(`/containers/${name()}/kill`, { method: "POST" })).bytes();
    expect((await machineTroubles(lab.engine, lab.cluster))[0]).toBe(
      `machine ${name()}: it does not run (ended with code 137); it was ready before`,
    );
  });

  it("whose disk finds no room: folder, free and wanted bytes; with room the same configuration goes through", async () => {
    const label = (kind: string, value: string) => ({ [`honest-paas.dev/${kind}`]: value });
    const volume = `${lab.cluster}.disk.etcd`;
    // a file system of 64 MiB that takes no more files, in place of the volume that an interrupted run would have left
    await lab.engine.json("/volumes/create", {
      method: "POST",
      json: {
        Name: volume,
        DriverOpts: { type: "tmpfs", device: "tmpfs", o: "size=64m,nr_inodes=1" },
        Labels: {
          ...label("owner", "honest-paas"),
          ...label("cluster", lab.cluster),
          ...label("kind", "disk"),
          ...label("id", "disk-0123456789"),
          ...label("name", "etcd"),
          ...label("size-gib", "1"),
          ...label("zone", "a"),
        },
      },
    });
    lab.tf.write({ "main.tf.json": lab.config() });
    const { stderr } = await lab.tf.apply([], { expectFail: true });
    expect(flat(stderr)).toMatch(
      /image file of disk-0123456789 cannot be made: No space left on device\. Its volume has 67108864 bytes free; 1073741824 bytes are wanted/,
    );
    expect((await lab.engine.listOwned(lab.cluster)).filter((o) => o.kind === "machine" || o.type === "loop device")).toEqual([]);
    await lab.engine.drop(`/volumes/${volume}`);
    await lab.apply();
  });

  it("on a network with a way out: a pod's own network resolves names through the machine, by UDP and TCP", async () => {
    await lab.apply({ ...withUserData([]), network: { internal: false } });
    await inside(
      [
        "ip netns add pod",
        "ip link add v0 type veth peer name v1 netns pod",
        "ip address add 10.213.0.1/30 dev v0 && ip link set v0 up",
        "ip -n pod address add 10.213.0.2/30 dev v1 && ip -n pod link set v1 up && ip -n pod route add default via 10.213.0.1",
      ].join(" && "),
    );
    expect(await inside("cat /etc/resolv.conf")).toContain("nameserver 127.0.0.11");
    const ask = (server: string, tcp: boolean): string => `
import socket
name = "${name()}"
query = b"\\x12\\x34\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00" + bytes([len(name)]) + name.encode() + b"\\x00\\x00\\x01\\x00\\x01"
s = socket.socket(socket.AF_INET, socket.${tcp ? "SOCK_STREAM" : "SOCK_DGRAM"})
s.settimeout(5)
s.connect(("${server}", 53))
s.sendall(${tcp ? 'len(query).to_bytes(2, "big") + query' : "query"})
answer = s.recv(4096)
print(socket.inet_ntoa(answer[-4:]))
`;
    const asked = (server: string, tcp: boolean) =>
      lab.engine.execIn(name(), ["ip", "netns", "exec", "pod", "python3", "-c", ask(server, tcp)]);
    await until("the resolver answers", 30, async () => (await asked("10.212.12.11", false)).code === 0);
    for (const tcp of [false, true]) expect((await asked("10.212.12.11", tcp)).stdout.trim(), `tcp ${tcp}`).toBe("10.212.12.11");
    // the engine's own address for it is the machine's loopback, which a pod cannot reach
    expect((await asked("127.0.0.11", false)).code).not.toBe(0);
    // after a reboot too
    await (await lab.engine.call(`/containers/${name()}/restart`, { method: "POST" })).bytes();
    await until("it answers again", 60, async () => {
      const done = await lab.engine.execIn(name(), ["python3", "-c", ask("10.212.12.11", false)]).catch(() => null);
      return done?.stdout.trim() === "10.212.12.11";
    });
  });
});
