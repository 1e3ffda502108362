"""Machines for the tests: systemd containers with real cloud-init from a NoCloud seed, disks behind loop devices."""

import io
import json
import os
import subprocess
import tarfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# what systemd, kubelet and containerd need where --privileged is refused
FLAGS = [
    *["--cap-add", "ALL", "--cap-drop", "SYS_RESOURCE", "--cgroupns", "private", "--stop-signal", "SIGRTMIN+3"],
    *["--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined", "--security-opt", "systempaths=unconfined"],
    *["--device", "/dev/kmsg", "--device-cgroup-rule", "a *:* rwm", "--tmpfs", "/run", "--tmpfs", "/run/lock", "--tmpfs", "/tmp:exec"],
    *["-e", "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1", "-t"],
]
# what a person wants to see of a machine on which something did not come about
POST_MORTEM = "systemctl --failed --no-pager; systemctl list-jobs --no-pager; journalctl -u honest-boot -n 30 --no-pager"
POST_MORTEM += "; tail -n 40 /var/log/cloud-init.log"


def call(*argv, check=True, data=None, seconds=180):
    """Output of a program, or with check=False the finished process. Nothing here may hang: the tests would with it."""
    done = subprocess.run(argv, input=data, capture_output=True, timeout=seconds)
    if check and done.returncode != 0:
        raise AssertionError("%s: %s" % (" ".join(argv[:4]), done.stderr.decode(errors="replace")))
    return done.stdout.decode(errors="replace") if check else done


def base_image(suite):
    """The small test machine; the same that the engine's tests use. The first time it is built in a minute or two."""
    ask = 'import("./test/support/base-image.ts").then(async (m) => console.log(await m.ensureTestBaseImage(%s)))' % json.dumps(suite)
    done = subprocess.run(["node", "--import", "tsx", "-e", ask], cwd=ROOT, capture_output=True, text=True, timeout=900)
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
    """An empty disk: a sparse file below `folder` behind a loop device, until it is closed."""

    def __init__(self, folder, size_mib=64):
        self.name = "pytest-" + uuid.uuid4().hex[:8]
        self.file = str(folder / (self.name + ".img"))
        with open(self.file, "wb") as f:
            f.truncate(size_mib << 20)
        self.device = call("losetup", "-f", "--show", self.file).strip()

    def close(self):
        call("losetup", "-d", self.device)
        os.remove(self.file)


class Machine:
    """A machine that is made but not booted; `start` boots it, `restart` is a reboot. It has no network."""

    def __init__(self, image, user_data, files=None, labels=()):
        self.instance_id = "i-" + uuid.uuid4().hex[:12]
        self.name = "honest-pytest-" + uuid.uuid4().hex[:8]
        marks = [word for label in labels for word in ("--label", label)]
        volumes = ["-v", "/var/lib/containerd", "-v", "/var/lib/kubelet", "-v", "/lib/modules:/lib/modules:ro"]
        call("docker", "create", "--name", self.name, "--hostname", self.name, *marks, *FLAGS, "--network", "none", *volumes, image)
        seed = "/var/lib/cloud/seed/nocloud/"
        meta = json.dumps({"instance-id": self.instance_id, "local-hostname": self.name})
        try:
            self.put({seed + "user-data": (user_data, 0o600), seed + "meta-data": meta, **(files or {})})
        except BaseException:
            # half made, and nobody has it yet who could close it
            self.close()
            raise

    def put(self, files):
        call("docker", "cp", "-", self.name + ":/", data=archive(files))

    def start(self):
        call("docker", "start", self.name)

    def restart(self):
        call("docker", "restart", "-t", "20", self.name)

    def run(self, *argv, check=True):
        return call("docker", "exec", self.name, *argv, check=check)

    def read(self, path):
        """A file's text, or None without such a file."""
        done = self.run("cat", path, check=False)
        return done.stdout.decode() if done.returncode == 0 else None

    def console(self):
        return call("docker", "logs", self.name)

    def attach(self, disk, link):
        """The by-id link that a cloud's disk has, to the device of the host. A reboot takes it off again."""
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
        told = self.run("sh", "-c", POST_MORTEM, check=False).stdout.decode(errors="replace")
        raise AssertionError("%s: not within %d s; marker %s\n%s" % (what, seconds, self.marker(), told))

    def wait_for(self, stage, reason="", ok=None, after=None, seconds=90):
        """Until the marker says this stage, with these words in its reason; `after` is a marker that is too old."""

        def found():
            seen = self.marker()
            fits = seen.get("stage") == stage and reason in seen.get("reason", "") and seen != after
            return seen if fits and ok in (None, seen["ok"]) else None

        return self.wait("stage %s (%s)" % (stage, reason), found, seconds)

    def cloud_init(self, seconds=90):
        """(exit code of its status, result.json) once cloud-init has ended."""
        self.wait("cloud-init's end", lambda: self.read("/run/cloud-init/result.json"), seconds)
        status = self.run("cloud-init", "status", "--wait", check=False)
        return status.returncode, json.loads(self.read("/run/cloud-init/result.json"))["v1"]

    def close(self):
        call("docker", "rm", "-f", "-v", self.name)
