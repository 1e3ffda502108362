// A small Debian machine image for tests of the engine and of the boot stage: systemd and cloud-init, nothing of
// Kubernetes. Built once per suite with mmdebstrap; the tar stays in the cache, the image in the engine.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Suite = "bookworm" | "trixie";

const packages = [
  ...["systemd", "systemd-sysv", "udev", "dbus", "cloud-init", "locales", "iproute2", "e2fsprogs", "procps"],
  ...["util-linux", "haproxy", "mount", "ca-certificates", "python3-yaml", "kmod", "openssl", "curl"],
];

// Everything that decides the bytes of the image; a change makes a new tag.
const recipe = 1;

export const testBaseTag = (suite: Suite): string => `honest-paas/test-base:${suite}-${recipe}`;

const cacheDir = (): string =>
  join(process.env.HONEST_PAAS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "honest-paas"), "test-images");

const datasource = "datasource_list: [NoCloud, None]\nnetwork: {config: disabled}\n";

async function buildTar(suite: Suite, tar: string): Promise<void> {
  const half = `${tar}.${process.pid}.tmp`;
  const drop = join(cacheDir(), "90_ds.cfg");
  writeFileSync(drop, datasource);
  try {
    await run(
      "mmdebstrap",
      [
        "--variant=minbase",
        "--format=tar",
        `--include=${packages.join(",")}`,
        // Services of a real host that only cost time here.
        "--customize-hook=rm -f $1/etc/machine-id && touch $1/etc/machine-id",
        "--customize-hook=chroot $1 systemctl disable haproxy.service",
        `--customize-hook=copy-in ${drop} /etc/cloud/cloud.cfg.d/`,
        suite,
        half,
      ],
      { maxBuffer: 64 << 20 },
    );
    renameSync(half, tar);
  } finally {
    rmSync(half, { force: true });
  }
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Runs `work` in one process at a time; a lock left by a process that is gone is taken over. */
async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      mkdirSync(path);
      writeFileSync(join(path, "pid"), String(process.pid));
      break;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    }
    const owner = existsSync(join(path, "pid")) ? Number(readFileSync(join(path, "pid"), "utf8")) : 0;
    const stale = owner > 0 ? !alive(owner) : existsSync(path) && Date.now() - statSync(path).mtimeMs > 10_000;
    if (stale) rmSync(path, { recursive: true, force: true });
    else await new Promise((wake) => setTimeout(wake, 500));
  }
  try {
    return await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Makes sure that the engine has the image and gives its tag. Needs root, mmdebstrap and a Debian mirror the first time
 * (a minute or two), about ten seconds when only the tar is there, nothing when the image is.
 */
export async function ensureTestBaseImage(suite: Suite = "bookworm"): Promise<string> {
  const tag = testBaseTag(suite);
  const present = async (): Promise<boolean> =>
    run("docker", ["image", "inspect", tag]).then(
      () => true,
      () => false,
    );
  if (await present()) return tag;
  mkdirSync(cacheDir(), { recursive: true });
  return locked(join(cacheDir(), `${suite}.lock`), async () => {
    if (await present()) return tag;
    const tar = join(cacheDir(), `${suite}-${recipe}.tar`);
    if (!existsSync(tar)) await buildTar(suite, tar);
    await run("docker", ["import", "-c", 'CMD ["/lib/systemd/systemd"]', "-c", "LABEL honest-paas.dev/owner=honest-paas", tar, tag]);
    return tag;
  });
}
