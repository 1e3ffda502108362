// A machine without a way out and a mirror beside it: what an air-gapped site does. Real containerd pulls, real sums.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEngine } from "../../provider/engine/engine.js";
import { createMachine } from "../../provider/engine/machine-create.js";
import { createNetwork } from "../../provider/engine/network.js";
import { buildMirror, hostArchitecture } from "../../provider/mirror/build.js";
import { imageNames } from "../../provider/mirror/images.js";
import { ensureMachineImage, machineImageTag } from "../../provider/mirror/machine-image.js";
import { type ServedMirror, serveMirror } from "../../provider/mirror/serve.js";
import { verifyMirror } from "../../provider/mirror/verify.js";
import { componentsOf, defaultVersion } from "../../provider/mirror/versions.js";

const cluster = "e2e-mirror";
const components = componentsOf(defaultVersion);
if (!components) throw new Error("the default version is not in the table");
const names = imageNames(components);
const engine = createEngine();
const signal = AbortSignal.timeout(3_600_000);
const log = (): void => {};
let folder = "";
let container = "";
let gateway = "";
const closing: (() => Promise<unknown>)[] = [];

async function sh(script: string): Promise<{ readonly code: number; readonly text: string }> {
  const { code, stdout, stderr } = await engine.execIn(container, ["/bin/sh", "-c", script]);
  return { code, text: `${stdout}${stderr}` };
}

async function serve(from: string): Promise<ServedMirror> {
  const served = await serveMirror({ folder: from, port: 0, address: gateway });
  closing.push(() => served.close());
  return served;
}

/** The program itself, as a user calls it. */
const tool = join(import.meta.dirname, "../../dist/cli/honest-paas.js");
async function honestPaas(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly said: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [tool, ...argv], { maxBuffer: 1 << 24 }, (fault, out, said) =>
      done({ code: fault ? Number(fault.code) : 0, out, said }),
    );
  });
}

/** One bit, in a file of its own: the original, which may be linked here, stays as it is. Size and time do not tell. */
async function flip(path: string): Promise<void> {
  const [bytes, { atime, mtime, mode }] = await Promise.all([readFile(path), stat(path)]);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(`${path}.flipped`, bytes, { mode });
  await utimes(`${path}.flipped`, atime, mtime);
  await rename(`${path}.flipped`, path);
}

const images = async (): Promise<readonly string[]> =>
  (await engine.execIn(container, ["ctr", "-n", "k8s.io", "images", "ls", "-q"])).stdout
    .trim()
    .split("\n")
    // containerd also lists images by digest
    .filter((name) => !name.includes("sha256:"))
    .sort();
const forgetImages = () => sh("ctr -n k8s.io images ls -q 2>/dev/null | xargs ctr -n k8s.io images rm --sync");

const useMirror = (url: string) =>
  sh(`mkdir -p /etc/containerd/certs.d/_default
printf '[host."%s"]\\n  capabilities = ["pull", "resolve"]\\n' ${url} > /etc/containerd/certs.d/_default/hosts.toml`);

const start = `
for m in /sys/fs/cgroup/*; do mountpoint -q $m && mount -o remount,bind,rw $m; done
mount --make-rshared /
mkdir -p /etc/containerd
cat > /etc/containerd/config.toml <<'X'
version = 3
[plugins.'io.containerd.cri.v1.images'.registry]
config_path = '/etc/containerd/certs.d'
[plugins.'io.containerd.cri.v1.runtime']
restrict_oom_score_adj = true
X
systemd-run -q --unit containerd -p Delegate=yes /usr/local/bin/containerd
n=0; until crictl version > /dev/null 2>&1; do n=$((n + 1)); [ $n -lt 100 ] || exit 1; sleep 0.2; done`;

beforeAll(async () => {
  await engine.removeOwned(cluster);
  const tag = machineImageTag(defaultVersion);
  folder = (await buildMirror({ versions: [components], source: "auto", log, signal })).folder;
  await ensureMachineImage({ engine, tag, log, signal });
  const network = await createNetwork(engine, { cluster, name: "net", cidr: "10.213.77.0/24", internal: true, mtu: null });
  gateway = network.gateway;
  const machine = await createMachine(engine, {
    cluster,
    name: `${cluster}-a`,
    networkId: network.id,
    address: "10.213.77.11",
    zone: null,
    image: tag,
    shape: { cpus: 2, memoryMib: 1024 },
    userData: Buffer.from("#cloud-config\nlocale: false\n"),
    hostname: null,
    diskIds: [],
    nameFor: (id) => id,
  });
  container = machine.container;
  const started = await sh(start);
  expect(started.code, started.text).toBe(0);
}, 3_600_000);

afterAll(async () => {
  await engine.removeOwned(cluster);
  for (const close of closing.reverse()) await close();
  await engine.close();
}, 60_000);

describe("the baked machine image", () => {
  it("has every image of its version in containerd's store, with nothing to copy into a new volume", async () => {
    expect(await images()).toEqual(Object.values(names).sort());
    const size = Number((await sh("du -sm /var/lib/containerd | cut -f1")).text);
    expect(size).toBeLessThan(20);
  });

  it("has the programs of its version", async () => {
    const { text } = await sh(
      "kubelet --version; kubeadm version -o short; etcd --version | head -1; runc --version | head -1; crictl --version; ctr --version",
    );
    for (const part of [
      `Kubernetes v${components.kubernetes}`,
      `etcd Version: ${components.etcd}`,
      `runc version ${components.runc}`,
      `v${components.crictl}`,
      `v${components.containerd}`,
    ])
      expect(text).toContain(part);
  });
});

describe("a mirror on the machine's network", () => {
  it("is whole", async () => {
    expect((await verifyMirror({ folder, signal })).faults).toEqual([]);
  });

  it("gives containerd every image, whichever registry its name says", async () => {
    await useMirror((await serve(folder)).url);
    const wanted = Object.values(names);
    await forgetImages();
    expect(await images()).toEqual([""]);
    for (const name of wanted) {
      const pulled = await sh(`crictl pull ${name}`);
      expect(pulled.code, pulled.text).toBe(0);
    }
    expect(await images()).toEqual([...wanted].sort());
    const pause = await sh(
      `crictl pull ${names.pause} && ctr -n k8s.io run --rm --net-host ${names.agnhost} probe /agnhost --help | head -1`,
    );
    expect(pause.code, pause.text).toBe(0);
  }, 120_000);

  it("gives files whose sums are beside them", async () => {
    const { url } = await serve(folder);
    const file = `dl.k8s.io/v${components.kubernetes}/bin/linux/$(dpkg --print-architecture)/kubectl`;
    const fetched = await sh(`cd /tmp && curl -fsSO ${url}/${file} && echo "$(curl -fsS ${url}/${file}.sha256)  kubectl" | sha256sum -c`);
    expect(fetched.text).toContain("kubectl: OK");
  });

  it("cannot give a layer that is spoilt: the pull fails, verify names it", async () => {
    const spoilt = await mkdtemp(join(tmpdir(), "spoilt-"));
    closing.push(() => rm(spoilt, { recursive: true }));
    await cp(join(folder, "v2/pause"), join(spoilt, "v2/pause"), { recursive: true });
    await cp(join(folder, "mirror.json"), join(spoilt, "mirror.json"));
    const blobs = join(spoilt, "v2/pause/blobs");
    for (const name of await readdir(blobs)) await writeFile(join(blobs, name), "not what it was");
    await useMirror((await serve(spoilt)).url);
    await forgetImages();
    const pulled = await sh(`timeout 60 crictl pull ${names.pause}`);
    expect(pulled.code).not.toBe(0);
    const { faults } = await verifyMirror({ folder: spoilt, signal });
    expect(faults.filter((f) => f.path.startsWith("v2/pause/blobs/")).every((f) => f.problem.startsWith("is spoilt"))).toBe(true);
  }, 90_000);

  it("that is spoilt is named by the tool and mended by it", async () => {
    // beside the mirror: links do not cross file systems
    const spoilt = await mkdtemp(join(folder, "../spoilt-"));
    closing.push(() => rm(spoilt, { recursive: true }));
    await promisify(execFile)("cp", ["-al", `${folder}/.`, spoilt]);
    const kubectl = `dl.k8s.io/v${components.kubernetes}/bin/linux/${hostArchitecture()}/kubectl`;
    const blobs = "v2/kube-proxy/blobs";
    const sizes = await Promise.all(
      (await readdir(join(spoilt, blobs))).map(async (name) => ({ name, size: (await stat(join(spoilt, blobs, name))).size })),
    );
    const layer = sizes.reduce((a, b) => (a.size > b.size ? a : b)).name;
    await flip(join(spoilt, kubectl));
    await flip(join(spoilt, blobs, layer));

    const verdict = await honestPaas("mirror", "verify", "--folder", spoilt);
    expect(verdict.code, verdict.said).toBe(1);
    expect(verdict.out).toMatch(
      new RegExp(
        `^${kubectl}: is spoilt: its sha256 is not [0-9a-f]{64}\n${blobs}/${layer}: is spoilt: its content is sha256:[0-9a-f]{64}\n$`,
      ),
    );
    const built = await honestPaas("mirror", "build", "--folder", spoilt, "--version", components.kubernetes);
    expect(built.code, built.said).toBe(0);
    expect(built.said).toContain(`${blobs}/${layer} is spoilt; it was thrown away`);
    expect(built.said).toContain(`${kubectl} is missing or spoilt; making it anew`);
    expect(await honestPaas("mirror", "verify", "--folder", spoilt)).toMatchObject({ code: 0, out: "" });
    // the mirror that was copied is as it was
    expect((await verifyMirror({ folder, signal })).faults).toEqual([]);
  }, 300_000);
});
