import { afterEach, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { containerBody } from "../../../../provider/engine/machine-container.js";
import { fakeDocker, message } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

const body = async (cgroup: string, privileged: boolean) => {
  const fake = await fakeDocker({
    "GET /info": {
      json: { ServerVersion: "x", CgroupVersion: cgroup, Architecture: "x86_64", NCPU: 2, MemTotal: 1, SecurityOptions: null },
    },
    "POST /containers/create": { json: { Id: "x" } },
    "POST /containers/*/start": (request) => (!privileged && request.path.includes("privileged") ? message(400, "no") : { status: 204 }),
    "DELETE /containers/*": { status: 204 },
  });
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return containerBody(core, {
    cluster: "demo",
    id: "i-1",
    image: "img",
    hostname: "demo-cp-a",
    shape: { cpus: 4, memoryMib: 512 },
    network: "demo-net",
    address: "10.0.0.11",
    labels: { a: "b" },
  });
};

it("has limits, address, volumes of its own, a console, and comes back from a reboot only", async () => {
  expect(await body("1", true)).toMatchObject({
    Tty: true,
    StopSignal: "SIGRTMIN+3",
    Cmd: ["/lib/systemd/systemd"],
    Env: ["SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"],
    HostConfig: {
      Privileged: true,
      CgroupnsMode: "private",
      CpuPeriod: 100_000,
      CpuQuota: 400_000,
      Memory: 512 * 2 ** 20,
      MemorySwap: 512 * 2 ** 20,
      RestartPolicy: { Name: "on-failure" },
      Binds: ["demo.i-1.containerd:/var/lib/containerd", "demo.i-1.kubelet:/var/lib/kubelet", "/lib/modules:/lib/modules:ro"],
    },
    NetworkingConfig: { EndpointsConfig: { "demo-net": { IPAMConfig: { IPv4Address: "10.0.0.11" } } } },
  });
});

it("unlocks cgroup v2 first where the engine gives it read-only", async () => {
  expect(await body("2", false)).toMatchObject({
    Cmd: ["/bin/sh", "-c", expect.stringMatching(/remount,rw.*exec \/lib\/systemd\/systemd/)],
    Env: [],
  });
  expect(await body("2", true)).toMatchObject({ Cmd: ["/lib/systemd/systemd"] });
});
