"""What runs on this machine and answers, how full its disks are: facts, without a judgement."""

import http.client
import os
import re
import socket
import ssl
import subprocess
import time

CONTAINERD = "/run/containerd/containerd.sock"
ETCD_DISK = "/var/lib/honest-paas/etcd-disk"
DISKS = ("/", "/var/lib/containerd", ETCD_DISK)
SECONDS = 5
BOOT = "honest-boot"
# the first words of an HTTP/2 client and its empty settings; a server that lives answers with its own
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
SETTINGS = 4


def units(names):
    """{name: {"active", "sub", "seconds", "restarts"}} as systemd has it; seconds since it became what it is."""
    asked = ["-p", "Id,ActiveState,SubState,StateChangeTimestampMonotonic,NRestarts"]
    argv = ["systemctl", "show", *[n + ".service" for n in names], *asked]
    shown = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=True).stdout
    found = {}
    for block in shown.strip().split("\n\n"):
        said = dict(line.split("=", 1) for line in block.splitlines())
        at = int(said["StateChangeTimestampMonotonic"] or 0) / 1e6
        seconds = max(0.0, time.monotonic() - at)
        name = said["Id"][: -len(".service")]
        words = {"active": said["ActiveState"], "sub": said["SubState"]}
        found[name] = {**words, "seconds": seconds, "restarts": int(said.get("NRestarts") or 0)}
    return found


def ask(host, port, path, tls=False):
    """(status, text) of what answers there in time, or None."""
    if tls:
        # on this machine, and nothing is said that only the right one may hear
        link = http.client.HTTPSConnection(host, port, timeout=SECONDS, context=ssl._create_unverified_context())
    else:
        link = http.client.HTTPConnection(host, port, timeout=SECONDS)
    try:
        link.request("GET", path)
        reply = link.getresponse()
        return reply.status, reply.read().decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return None
    finally:
        link.close()


def containerd_answers(path=CONTAINERD):
    """Whether whoever listens there speaks; one that is stopped or stuck takes the connection and says nothing."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(SECONDS)
        try:
            link.connect(path)
            link.sendall(PREFACE)
            head = link.recv(9)
        except OSError:
            return False
    return len(head) == 9 and head[3] == SETTINGS


def is_done(boot):
    """Of the boot stage's unit: it is active from the moment it starts; done is it when its program has ended well."""
    return (boot["active"], boot["sub"]) == ("active", "exited")


def parts(control_plane):
    """(whether the boot stage is done, the units that this role runs, each asked for its health where it runs). By one program:
    it is asked every ten seconds."""
    names = ["containerd", "kubelet"] + (["honest-etcd"] if control_plane else [])
    found = units([BOOT, *names])
    booted = is_done(found.pop(BOOT))
    asks = {
        "containerd": containerd_answers,
        # 500: its loop stands still
        "kubelet": lambda: (ask("127.0.0.1", 10248, "/healthz") or (0, ""))[0] == 200,
        # any answer: one without a quorum says so with 503, and a restart would not give it one
        "honest-etcd": lambda: ask("127.0.0.1", 2381, "/health") is not None,
    }
    return booted, {n: dict(p, answers=asks[n]() if p["active"] == "active" else None) for n, p in found.items()}


def alarmed():
    """Whether etcd says at its health that it takes no more data."""
    said = ask("127.0.0.1", 2381, "/health")
    return said is not None and "NOSPACE" in said[1]


def static_pods(address, port):
    """Names of a control plane's components that do not answer."""
    asked = {"kube-apiserver": (address, port), "kube-controller-manager": ("127.0.0.1", 10257), "kube-scheduler": ("127.0.0.1", 10259)}
    return [name for name, (host, at) in sorted(asked.items()) if ask(host, at, "/livez", tls=True) is None]


def disks(paths=DISKS):
    """[{"path", "size", "free", "files", "files_free"}] of each file system once; bytes."""
    found, seen = [], set()
    for path in paths:
        if not os.path.isdir(path):
            continue
        device = os.stat(path).st_dev
        if device in seen:
            continue
        seen.add(device)
        fs = os.statvfs(path)
        sizes = {"size": fs.f_blocks * fs.f_frsize, "free": fs.f_bavail * fs.f_frsize}
        found.append({"path": path, **sizes, "files": fs.f_files, "files_free": fs.f_favail})
    return found


def fragmentation(text=None):
    """(bytes of etcd's file, bytes of them in use) from its metrics, or None when they cannot be had."""
    if text is None:
        said = ask("127.0.0.1", 2381, "/metrics")
        text = said[1] if said and said[0] == 200 else ""
    sizes = [re.search(r"^etcd_mvcc_db_total_size_in%s_bytes (\S+)" % part, text, re.M) for part in ("", "_use_in")]
    return tuple(int(float(m.group(1))) for m in sizes) if all(sizes) else None


def last_words(unit):
    """The last line of a unit's journal, shortened."""
    argv = ["journalctl", "-u", unit, "-n", "1", "-o", "cat", "--no-pager"]
    said = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False).stdout.strip()
    return said[-200:]
