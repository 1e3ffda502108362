"""What touches the machine: files, programs, the console and the marker."""

import json
import os
import subprocess
import time

STATE = "/var/lib/honest-paas"
PKI = "/etc/kubernetes/pki"
SAID = "/run/honest-said.json"


class StageError(Exception):
    """A stage cannot go on; the text is what a person reads."""


class Waiting(StageError):
    """Nothing is wrong on this machine: it waits for something outside."""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def read_json(path):
    """The file's data, or None when there is no such file."""
    try:
        return json.loads(read(path))
    except FileNotFoundError:
        return None


def write(path, text, mode=0o644):
    """Written beside and renamed, and on the disk before it counts: after a power cut it is the old text or the new."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = path + ".part"
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())
    os.rename(part, path)


def write_json(path, data, mode=0o644):
    write(path, json.dumps(data, sort_keys=True, indent=1) + "\n", mode)


def run(argv, check=True, data=None, timeout=300):
    """Output of a program. A failure becomes a StageError with its last lines."""
    try:
        done = subprocess.run(argv, input=data, capture_output=True, text=True, timeout=timeout)
    except (OSError, subprocess.TimeoutExpired) as cause:
        raise StageError("%s: %s" % (argv[0], cause)) from cause
    if check and done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-4:]
        raise StageError("%s ended with %d: %s" % (" ".join(argv[:4]), done.returncode, " | ".join(said)))
    return done.stdout if check else done


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def console(text):
    """One line on the serial console: on a cloud that is all a person can read of a machine that never joined."""
    line = "honest: %s\n" % " ".join(text.split())
    print(line, end="", flush=True)
    try:
        with open("/dev/console", "w", encoding="utf-8") as f:
            f.write(line)
    except OSError as cause:
        print("no console: %s" % cause, flush=True)


def mark(stage, ok, reason=""):
    """The marker of the stage. The console hears once in a boot what is new, however often the stages are tried again; and
    it hears it first: the disk may be full."""
    said, text = read_json(SAID) or {}, "%s: %s%s" % (stage, "ok" if ok else "error", ": " + reason if reason else "")
    if said.get(stage) != text:
        console(text)
        write_json(SAID, {**said, stage: text})
    write_json(STATE + "/marker.json", {"stage": stage, "ok": ok, "reason": reason, "at": now(), "machine_id": machine_id()})


def machine_id():
    return read(STATE + "/instance-id").strip()


def lasts(path, seconds):
    """Whether the certificate is there and lives longer than that."""
    check = ["openssl", "x509", "-noout", "-checkend", str(seconds), "-in", path]
    return os.path.exists(path) and run(check, check=False).returncode == 0


def in_container():
    return subprocess.run(["systemd-detect-virt", "--container", "--quiet"], check=False).returncode == 0


def cgroup_v2():
    return os.path.exists("/sys/fs/cgroup/cgroup.controllers")


def unit(name, text):
    path = "/etc/systemd/system/%s.service" % name
    if os.path.exists(path) and read(path) == text:
        return
    write(path, text)
    run(["systemctl", "daemon-reload"])
