"""Snapshots of etcd on the etcd disk: taken on a schedule, believed only after they were read again, tried by a restore.

Each control plane takes its own: a disk that is lost takes its snapshots with it, and three disks are seldom lost at once.
A file NAME.db has its proof beside it, NAME.json; without the proof it does not count, whatever its size.
"""

import calendar
import hashlib
import json
import os
import re
import shutil
import subprocess
import time

import etcd

FOLDER = "/var/lib/honest-paas/etcd-disk/snapshots"
DATA = "/var/lib/honest-paas/etcd-disk/etcd/member/snap/db"
SCRATCH = FOLDER + "/drill"
DRILL_URL, DRILL_PEER_URL = "https://127.0.0.1:12379", "https://127.0.0.1:12380"
STAMP = "%Y%m%dT%H%M%SZ"
# a snapshot is as large as etcd's file; a drill unpacks one more, and etcd itself must never be the one that finds no room
SPACE = 3
RETRY_SECONDS = 300


class SnapshotError(Exception):
    """Why there is no new snapshot; etcd itself is not touched by it."""


def taken_at(name):
    """Seconds since the epoch of "20261130T120000Z", or None for a name that is not ours."""
    if not re.fullmatch(r"\d{8}T\d{6}Z", name):
        return None
    return calendar.timegm(time.strptime(name, STAMP))


def offset_of(node, members, every):
    """Seconds after the full schedule at which this node's turn is: members spread over it, never all in one second."""
    names = sorted(set(members) | {node})
    return every * names.index(node) // len(names)


def due(good, policy, clock, tried=0.0, offset=0):
    """Is it time for the next one? good: names of proven snapshots; tried: when the last attempt began, which may have failed.

    policy: {"every_seconds": 0 = never by schedule}. A schedule of six hours has four turns a day, each `offset` seconds late.
    """
    every = policy.get("every_seconds", 0) if policy else 0
    if not every or 0 <= clock - tried < min(RETRY_SECONDS, every):
        return False
    last = max((taken_at(n) or 0 for n in good), default=0)
    # another turn than the last one's: a clock that was set back must not stop the schedule
    return (clock - offset) // every != (last - offset) // every


def surplus(good, keep):
    """What may go, oldest first. The last good one never goes, whatever keep says."""
    ordered = sorted(good)
    return ordered[: max(0, len(ordered) - max(1, keep))]


def drill_due(good, drill, clock, every, tried=0.0):
    """A restore is tried every so many seconds (0 = never), and soon for the first snapshot; never twice for the same one.

    drill: the last good one's {"at", "name"} or None; tried: when the last attempt began.
    """
    if not every or not good or 0 <= clock - tried < min(RETRY_SECONDS, every):
        return False
    if drill and drill["name"] == max(good):
        return False
    return drill is None or not 0 <= clock - drill["at"] < every


def good_ones(folder=FOLDER):
    """{name: proof} of the snapshots that were read again after they were written and are still of that size."""
    found = {}
    for entry in os.listdir(folder) if os.path.isdir(folder) else []:
        name, ending = os.path.splitext(entry)
        if ending != ".json" or taken_at(name) is None:
            continue
        try:
            with open(os.path.join(folder, entry), encoding="utf-8") as f:
                proof = json.load(f)
            whole = all(key in proof for key in ("node", "sha256", "revision", "keys"))
            if whole and os.path.getsize(os.path.join(folder, name + ".db")) == proof["size"]:
                found[name] = proof
        except (OSError, ValueError, KeyError, TypeError):
            # no proof, then no snapshot: it is neither counted nor deleted
            continue
    return found


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def command(argv, limit):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=limit, check=False)
    if done.returncode != 0:
        raise SnapshotError("%s: %s" % (" ".join(argv[:3]), (done.stderr or done.stdout).strip()[-300:]))
    return done.stdout


def status_of(path):
    """What etcdutl reads in the file: {"hash", "revision", "totalKey", "totalSize"}."""
    return json.loads(command(["etcdutl", "snapshot", "status", path, "-w", "json"], 600))


def spare(folder, size, what):
    free = shutil.disk_usage(folder).free
    if free < size:
        hint = "make it larger, or lower backup.keep"
        raise SnapshotError("%d MiB are free on the etcd disk, %s wants %d: %s" % (free >> 20, what, size >> 20, hint))


def room(folder, data=DATA):
    spare(folder, SPACE * os.path.getsize(data), "a snapshot")


def write(path, data):
    """JSON, whole or not at all, for root alone."""
    part = path + ".part"
    with open(part, "w", encoding="utf-8") as f:
        os.chmod(part, 0o600)
        json.dump(data, f, indent=1, sort_keys=True)
        f.flush()
        os.fsync(f.fileno())
    os.rename(part, path)


def sweep(folder):
    """Removes what an ended attempt left."""
    for entry in os.listdir(folder):
        if entry.endswith(".part"):
            os.remove(os.path.join(folder, entry))


def take(doc, policy, clock, folder=FOLDER):
    """One snapshot, read again and proven. Returns its proof; older ones than policy["keep"] go."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    sweep(folder)
    room(folder)
    name = time.strftime(STAMP, time.gmtime(clock))
    path = os.path.join(folder, name + ".db")
    part = path + ".part"
    saved = etcd.etcdctl("snapshot", "save", part, timeout=600)
    if saved.returncode != 0:
        raise SnapshotError("etcdctl snapshot save: %s" % (saved.stderr or saved.stdout).strip()[-300:])
    os.chmod(part, 0o600)
    seen = status_of(part)
    proof = {
        "name": name,
        "cluster_uid": doc["cluster"]["uid"],
        "number": doc["etcd"]["number"],
        "node": doc["node"]["name"],
        "version": doc["version"],
        "etcd_version": doc["runtime"]["etcd"],
        "size": os.path.getsize(part),
        "sha256": sha256(part),
        "revision": seen["revision"],
        "keys": seen["totalKey"],
    }
    sync(part)
    os.rename(part, path)
    write(os.path.join(folder, name + ".json"), proof)
    for old in surplus(good_ones(folder), policy["keep"]):
        for ending in (".json", ".db"):
            os.remove(os.path.join(folder, old + ending))
    return proof


def sync(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def verify(proof, folder=FOLDER):
    """Reads the whole file again: damage on the disk, or None."""
    path = os.path.join(folder, proof["name"] + ".db")
    if sha256(path) != proof["sha256"]:
        return "%s has another sha256 than when it was taken" % path
    seen = status_of(path)
    if (seen["revision"], seen["totalKey"]) != (proof["revision"], proof["keys"]):
        return "%s says revision %s with %s keys; it was %s with %s" % (
            path,
            seen["revision"],
            seen["totalKey"],
            proof["revision"],
            proof["keys"],
        )
    return None


def drill(proof, folder=FOLDER, scratch=SCRATCH):
    """Restores the snapshot, starts an etcd of its own on it and counts the objects: {"at", "name", "objects", "seconds"}."""
    fault = verify(proof, folder)
    if fault:
        raise SnapshotError(fault)
    room(folder)
    began = time.time()
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        source = os.path.join(folder, proof["name"] + ".db")
        command(["etcdutl", "snapshot", "restore", source, "--data-dir", scratch], 600)
        objects = counted(scratch)
        if objects == 0:
            raise SnapshotError("a restore of %s holds no object of Kubernetes" % proof["name"])
        return {"at": int(began), "name": proof["name"], "objects": objects, "seconds": round(time.time() - began, 1)}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def counted(data):
    """Objects below /registry/ as an etcd of its own serves them: alone, on loopback, behind the certificates of the real one."""
    urls = ["--listen-client-urls=" + DRILL_URL, "--advertise-client-urls=" + DRILL_URL, "--listen-peer-urls=" + DRILL_PEER_URL]
    keys = ["cert-file=" + etcd.PKI + "peer.crt", "key-file=" + etcd.PKI + "peer.key", "trusted-ca-file=" + etcd.PKI + "ca.crt"]
    trust = ["--client-cert-auth", "--peer-client-cert-auth"] + ["--" + k for k in keys] + ["--peer-" + k for k in keys]
    with open(data + ".log", "wb") as log:
        server = subprocess.Popen(["etcd", "--data-dir=" + data, "--name=drill"] + urls + trust, stdout=log, stderr=log)
    try:
        last = ""
        for _ in range(20):
            if server.poll() is not None:
                with open(data + ".log", encoding="utf-8", errors="replace") as f:
                    raise SnapshotError("etcd does not start on what was restored: " + f.read()[-300:])
            asked = etcd.etcdctl("get", "/registry/", "--prefix", "--keys-only", "--limit=1", endpoints=DRILL_URL)
            if asked.returncode == 0:
                return json.loads(asked.stdout)["count"]
            last = asked.stderr.strip()[-200:]
            time.sleep(0.5)
        raise SnapshotError("etcd on what was restored does not answer: " + last)
    finally:
        server.terminate()
        server.wait(30)
        os.remove(data + ".log")
