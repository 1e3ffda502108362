"""The etcd disk: found by id, formatted only when it carries nothing, mounted by label, and checked to be ours."""

import glob
import os
import secrets

from honest.host import StageError, Waiting, read_json, run, write_json

MOUNT = "/var/lib/honest-paas/etcd-disk"
DATA = MOUNT + "/etcd"
IDENTITY = MOUNT + "/identity.json"
LABEL = "honest-etcd"


def device(doc, by_id="/dev/disk/by-id/"):
    """Its link is named as it is, or ends in the vendor's id: EBS leaves the dash out, virtio takes 20 characters."""
    wanted = doc["etcd"]["disk"]
    for form in (wanted, wanted.replace("-", ""), wanted[:20]):
        for link in glob.glob(by_id + "*[-_]" + form) + glob.glob(by_id + form):
            return os.path.realpath(link)
    raise Waiting("the etcd disk %s is not there yet" % (by_id + wanted))


def judge(identity, uid, name):
    """Why a disk with this identity is not ours, or None."""
    if identity is None:
        return "it carries no identity of ours"
    for key, mine, what in (("uid", uid, "cluster"), ("node", name, "node")):
        if identity.get(key) != mine:
            return "it belongs to %s %s, this machine to %s" % (what, identity.get(key), mine)
    return None


def identify(doc):
    """From now on an empty disk of this machine's number; another nonce, so no set that was written with it before holds."""
    identity = {"uid": doc["cluster"]["uid"], "node": doc["node"]["name"], "number": doc["etcd"]["number"]}
    write_json(IDENTITY, dict(identity, nonce=secrets.token_hex(8)), 0o600)


def number():
    """Which life of the cluster the data on the disk belongs to: 0 is birth, each restore raises it."""
    return (read_json(IDENTITY) or {}).get("number", 0)


def mounted():
    return os.path.ismount(MOUNT)


def signatures(listed):
    """What wipefs lists: [(label, type)]; file systems, partition tables, LVM, RAID."""
    rows = [line.split(",") for line in listed.splitlines() if "," in line and not line.startswith("#")]
    return [(row[2], row[3]) for row in rows]


def empty(path):
    """Nothing is on the disk. A disk that cannot be read is not empty: probing programs would say that it is."""
    try:
        with open(path, "rb") as f:
            f.read(1 << 20)
    except OSError as cause:
        raise StageError("the etcd disk %s cannot be read: %s" % (path, cause)) from cause
    found = signatures(run(["wipefs", "-n", "-p", path]))
    if found and found != [(LABEL, "ext4")]:
        words = " and ".join("%s (label %r)" % (kind, label) for label, kind in found)
        raise StageError("the etcd disk %s carries a foreign %s: it is not touched. Attach an empty disk, or wipe this one" % (path, words))
    return not found


def prepare(doc):
    path = device(doc)
    uid, name = doc["cluster"]["uid"], doc["node"]["name"]
    if mounted() and os.stat(MOUNT).st_dev != os.stat(path).st_rdev:
        raise StageError("%s is not the disk that is mounted at %s: it was exchanged while the machine ran. Reboot it" % (path, MOUNT))
    fresh = empty(path)
    if fresh:
        run(["mkfs.ext4", "-q", "-L", LABEL, path])
    if not mounted():
        os.makedirs(MOUNT, exist_ok=True)
        run(["mount", "-o", "noatime", path, MOUNT])
    # a crash between mkfs and this file leaves an empty file system of ours: nothing on it, so it is fresh
    if fresh or (read_json(IDENTITY) is None and set(os.listdir(MOUNT)) <= {"lost+found", "identity.json.part"}):
        identify(doc)
    why = judge(read_json(IDENTITY), uid, name)
    if why:
        run(["umount", MOUNT])
        raise StageError("the etcd disk %s is not this machine's: %s" % (path, why))
    os.makedirs(DATA, mode=0o700, exist_ok=True)
    os.chmod(DATA, 0o700)
