"""A cluster goes back to a snapshot: sent only to machines of a cluster that does or did.

What there is of a lower number is set aside on its disk, never deleted, and not before the snapshot has been fetched, checked
and unpacked beside it. Then the disks count as empty and agree as at a birth; the snapshot is their ticket.
"""

import hashlib
import hmac
import http.client
import json
import mmap
import os
import re
import shutil
import ssl
import subprocess
import urllib.request

from honest import disk, etcd, peer
from honest.host import STATE, StageError, Waiting, now, run
from honest.prepare import own_address

FILE = STATE + "/restore"
BLOCK = 1 << 20
# as honest_agent/sealed.py makes it
MAGIC = b"HPSEAL1\n"
HEAD, MAC, ROUNDS = 24, 32, 600_000
# watchers hold revisions of a future that is lost; what they ask for next has to be gone, not to come
BUMP = "1000000000"


def problem(doc):
    """Why this machine may not go back to its snapshot, or None."""
    asked = doc.get("restore")
    if not asked:
        return "its document names no snapshot. If all etcd disks are lost, restore with a higher number"
    if now() > asked["not_after"]:
        return "its restore had time until %s; the clock says %s. Restore with a higher number" % (asked["not_after"], now())
    return None if etcd.synchronised() else "its clock is not synchronised yet"


def settle(doc, peers):
    """Brings the disk to the document's number, or raises Waiting. What is there of that number stays as it is."""
    held, number = disk.number(), doc["etcd"]["number"]
    # who comes late asks in, with an empty disk and without the snapshot
    late = any(a and a["quorum"] and a.get("number", 0) == number for a in peers.values())
    if late:
        shutil.rmtree(unpacked(doc), ignore_errors=True)
    elif held < number or not (peer.has_data() or os.path.exists(peer.SET)):
        why = problem(doc)
        if why is None:
            unpack(doc)
        elif held < number:
            raise Waiting("the etcd disk holds the cluster of number %d, its document wants %d: %s" % (held, number, why))
    if held < number:
        aside(doc, held)


def aside(doc, held):
    """Each step may be the last before a power cut: the next boot goes on with the others."""
    folder = disk.MOUNT + "/number-%d" % held
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for path in (disk.DATA, peer.SET, peer.QUORUM, etcd.START):
        kept = folder + "/" + os.path.basename(path)
        if os.path.exists(path) and not os.path.exists(kept):
            os.rename(path, kept)
    os.makedirs(disk.DATA, mode=0o700, exist_ok=True)
    disk.identify(doc)


def unpacked(doc):
    return disk.MOUNT + "/restored-%d" % doc["etcd"]["number"]


def fill(doc, agreed):
    """The data of the snapshot becomes this member's."""
    if peer.has_data():
        return
    if set(agreed) != set(doc["members"]):
        raise StageError("the others restore %s, this machine's document says %s" % (sorted(agreed), sorted(doc["members"])))
    unpack(doc)
    os.rename(unpacked(doc), disk.DATA)


def unpack(doc):
    """The snapshot as data of this member, beside what is there: nothing else on the disk is touched."""
    asked, target, plain = doc["restore"], unpacked(doc), FILE
    if os.path.isdir(target):
        return
    fetch(doc, asked["url"], asked["sha256"])
    with open(FILE, "rb") as f:
        sealed = f.read(len(MAGIC)) == MAGIC
    if sealed != bool(asked.get("passphrase")):
        words = ("sealed and no passphrase is given", "not sealed, and a passphrase is given")
        raise StageError("the snapshot is " + words[not sealed])
    if sealed:
        plain += ".db"
        unseal(asked["passphrase"], plain)
    ours(doc, plain)
    shutil.rmtree(target + ".part", ignore_errors=True)
    address = "https://%s:2380"
    cluster = ",".join("%s=%s" % (n, address % a) for n, a in sorted(doc["members"].items()))
    argv = ["etcdutl", "snapshot", "restore", plain, "--data-dir", target + ".part", "--name", doc["node"]["name"]]
    argv += ["--initial-cluster", cluster, "--initial-cluster-token", etcd.token(doc)]
    argv += ["--initial-advertise-peer-urls", address % own_address(doc), "--bump-revision", BUMP, "--mark-compacted"]
    try:
        run(argv, timeout=3600)
    except StageError as cause:
        # cut off before its sha256 was taken, or no snapshot at all
        raise StageError("the snapshot cannot be restored from: %s" % cause) from cause
    os.rename(target + ".part", target)
    for path in {FILE, plain}:
        os.remove(path)


def fetch(doc, url, wanted):
    # what follows the "?" of a presigned URL is a secret
    place, digest = url.split("?")[0], hashlib.sha256()
    context = ssl.create_default_context()
    if doc["mirror"].get("ca"):
        context.load_verify_locations(cadata=doc["mirror"]["ca"])
    try:
        with urllib.request.urlopen(url, timeout=60, context=context) as answer, open(FILE, "wb") as out:
            for block in iter(lambda: answer.read(BLOCK), b""):
                digest.update(block)
                out.write(block)
    except (OSError, http.client.HTTPException) as cause:
        raise Waiting("the snapshot %s is not fetched: %s" % (place, cause)) from cause
    if digest.hexdigest() != wanted:
        raise StageError("%s has sha256 %s, the restore wants %s: it is cut off or another file" % (place, digest.hexdigest(), wanted))


def blocks(f, left):
    while left > 0:
        block = f.read(min(BLOCK, left))
        left -= len(block)
        yield block


def unseal(passphrase, target):
    """Nothing is decrypted before the MAC has been checked."""
    size = os.path.getsize(FILE) - HEAD - MAC
    with open(FILE, "rb") as f:
        head = f.read(HEAD)
        key = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), head[len(MAGIC) :], ROUNDS, 80)
        mac = hmac.new(key[48:], head, "sha256")
        for block in blocks(f, size):
            mac.update(block)
        if not hmac.compare_digest(mac.digest(), f.read()):
            raise StageError("the snapshot does not open: the passphrase is another one, or the file was changed or cut off")
        f.seek(HEAD)
        argv = ["openssl", "enc", "-d", "-aes-256-ctr", "-nosalt", "-pbkdf2", "-iter", "1", "-pass", "env:SEAL"]
        with open(target, "wb") as out, subprocess.Popen(argv, stdin=-1, stdout=out, env=dict(os.environ, SEAL=key[:48].hex())) as child:
            for block in blocks(f, size):
                child.stdin.write(block)
    if child.returncode:
        raise StageError("openssl ended with %d" % child.returncode)


def ours(doc, path):
    """A snapshot of this cluster, and none of a newer version than this machine's."""
    found = json.loads(run(["etcdutl", "snapshot", "status", path, "-w", "json"])).get("version") or "0"
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        # the barrier wrote it into the cluster that it handed over
        if data.find(doc["cluster"]["uid"].encode()) < 0:
            raise StageError("the snapshot is of another cluster: it holds nothing of %s" % doc["cluster"]["uid"])
        served = max((int(m.group(1)) for m in re.finditer(rb"kube-apiserver:v1\.(\d+)\.", data)), default=0)
    for what, theirs, mine in (("etcd", found, doc["runtime"]["etcd"]), ("Kubernetes", "1.%d" % served, doc["version"])):
        if minor(theirs) > minor(mine):
            raise StageError("the snapshot is of %s %s, this machine runs %s" % (what, theirs, mine))


def minor(version):
    return [int(part) for part in version.split(".")[:2]]
