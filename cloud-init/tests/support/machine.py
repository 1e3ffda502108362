"""Machines for the tests: systemd containers with real cloud-init from a NoCloud seed, disks behind loop devices."""

import io
import json
import os
import shutil
import subprocess
import tarfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OWNER = "honest-paas.dev/owner=honest-paas-pytest"
# what systemd, kubelet and containerd need where --privileged is refused
FLAGS = [
    *["--cap-add", "ALL", "--cap-drop", "SYS_RESOURCE", "--cgroupns", "private", "--stop-signal", "SIGRTMIN+3"],
    *["--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined", "--security-opt", "systempaths=unconfined"],
    *["--device", "/dev/kmsg", "--device-cgroup-rule", "a *:* rwm", "--tmpfs", "/run", "--tmpfs", "/run/lock", "--tmpfs", "/tmp:exec"],
    *["-e", "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1", "-t"],
]


def call(*argv, check=True, data=None):
    done = subprocess.run(argv, input=data, capture_output=True)
    if check and done.returncode != 0:
        raise AssertionError("%s: %s" % (" ".join(argv[:4]), done.stderr.decode(errors="replace")))
    return done.stdout.decode(errors="replace") if check else done


def usable():
    """Machines can be made here: root, an engine on this host, loop devices."""
    if os.geteuid() != 0 or not all(shutil.which(p) for p in ("docker", "losetup")):
        return False
    return call("docker", "version", check=False).returncode == 0


def base_image(suite):
    """The small test machine; the same that the engine's tests use."""
    ask = 'import("./test/support/base-image.ts").then(async (m) => console.log(await m.ensureTestBaseImage(%s)))' % json.dumps(suite)
    done = subprocess.run(["node", "--import", "tsx", "-e", ask], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError("no test machine: " + done.stderr)
    return done.stdout.strip().splitlines()[-1]


def archive(files):
    """{path: text, bytes, or (text, mode)} as a tar; folders come by themselves."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for path, content in files.items():
            body, mode = content if isinstance(content, tuple) else (content, 0o644)
            body = body.encode() if isinstance(body, str) else body
            entry = tarfile.TarInfo(path.lstrip("/"))
            entry.size, entry.mode = len(body), mode
            tar.addfile(entry, io.BytesIO(body))
    return out.getvalue()


class Disk:
    def __init__(self, folder, name, size_mib=64):
        self.name, self.file = name, str(folder / (name + ".img"))
        with open(self.file, "wb") as f:
            f.truncate(size_mib << 20)
        self.device = call("losetup", "-f", "--show", self.file).strip()

    def close(self):
        call("losetup", "-d", self.device, check=False)


class Machine:
    """A machine that is made but not booted; `start` boots it, `restart` is a reboot."""

    def __init__(self, image, user_data, files=None, instance_id=None, network="none", address=None, name=None):
        self.instance_id = instance_id or "i-" + uuid.uuid4().hex[:12]
        self.name = name or "honest-pytest-" + uuid.uuid4().hex[:8]
        where = ["--network", network] + (["--ip", address] if address else [])
        volumes = ["-v", "/var/lib/containerd", "-v", "/var/lib/kubelet", "-v", "/lib/modules:/lib/modules:ro"]
        call("docker", "create", "--name", self.name, "--hostname", self.name, "--label", OWNER, *FLAGS, *where, *volumes, image)
        seed = "/var/lib/cloud/seed/nocloud/"
        meta = json.dumps({"instance-id": self.instance_id, "local-hostname": self.name})
        self.put({seed + "user-data": (user_data, 0o600), seed + "meta-data": meta, **(files or {})})

    def put(self, files):
        call("docker", "cp", "-", self.name + ":/", data=archive(files))

    def start(self):
        call("docker", "start", self.name)

    def restart(self):
        call("docker", "restart", "-t", "20", self.name)

    def run(self, *argv, check=True):
        return call("docker", "exec", self.name, *argv, check=check)

    def read(self, path):
        done = self.run("cat", path, check=False)
        return done.stdout.decode() if done.returncode == 0 else None

    def console(self):
        return call("docker", "logs", self.name)

    def attach(self, disk, link):
        """The by-id link that a cloud's disk has, to the device of the host."""
        number = os.stat(disk.device).st_rdev
        script = "mkdir -p /dev/disk/by-id; [ -e /dev/%s ] || mknod /dev/%s b %d %d; ln -sfn /dev/%s /dev/disk/by-id/%s"
        self.run("sh", "-c", script % (disk.name, disk.name, os.major(number), os.minor(number), disk.name, link))

    def marker(self):
        text = self.read("/var/lib/honest-paas/marker.json")
        return json.loads(text) if text else {}

    def wait(self, what, found, seconds=90):
        end = time.time() + seconds
        while time.time() < end:
            seen = found()
            if seen:
                return seen
            time.sleep(0.3)
        units = self.run("sh", "-c", "systemctl --failed --no-pager; journalctl -u honest-boot -n 30 --no-pager; tail -n 40 /var/log/cloud-init.log", check=False)
        raise AssertionError("%s: not within %d s; marker %s\n%s" % (what, seconds, self.marker(), units.stdout.decode(errors="replace")))

    def wait_for(self, stage, reason="", ok=None, seconds=90):
        """Until the marker says this stage, with these words in its reason."""

        def found():
            seen = self.marker()
            fits = seen.get("stage") == stage and reason in seen.get("reason", "")
            return seen if fits and ok in (None, seen["ok"]) else None

        return self.wait("stage %s (%s)" % (stage, reason), found, seconds)

    def cloud_init(self, seconds=90):
        """(exit code of its status, result.json) once cloud-init has ended."""
        self.wait("cloud-init's end", lambda: self.read("/run/cloud-init/result.json"), seconds)
        status = self.run("cloud-init", "status", "--wait", check=False)
        return status.returncode, json.loads(self.read("/run/cloud-init/result.json"))["v1"]

    def close(self):
        call("docker", "rm", "-f", "-v", self.name, check=False)
