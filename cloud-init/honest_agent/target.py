"""Snapshots at the user's S3 target: three objects each, of which the manifest is written last and deleted first.

docs/decisions/0011-snapshots.md has the layout.
"""

import hashlib
import json
import os
import time

import observe
import s3
import sealed
import snapshots

# what is the machine's alone and of no use to a restore
OWN = ("node", "address", "ticket", "restore", "join", "kubelet", "mirror")
MANIFEST = "manifest.json"
# what the Secret holds
KEYS = ("access_key_id", "secret_access_key", "passphrase")
# a folder without a manifest is an upload that broke off, or one that is under way
UNFINISHED_SECONDS = 24 * 3600


def digest_of(target):
    """Tells one place from another; holds no key."""
    return hashlib.sha256(("%(endpoint)s %(bucket)s %(prefix)s" % target).encode()).hexdigest()[:12]


def folder_of(target, doc):
    return "%s%s/%s/" % (target["prefix"], doc["cluster"]["name"], doc["cluster"]["uid"])


def id_of(proof):
    return "%s-%s" % (proof["name"], proof["node"])


def taken_at(snapshot):
    """Seconds since the epoch of an id, or None for a name that is not ours."""
    return snapshots.taken_at(snapshot.partition("-")[0])


def authorities_of(doc, folder=None):
    """The document's keys, with the authorities as they stand on this machine: a rotation changes them in place."""
    pki = dict(doc["pki"])
    for name, path in observe.AUTHORITIES.items():
        for ending, field in ((".crt", "_cert"), (".key", "_key")):
            file = os.path.join(folder or observe.PKI, path + ending)
            if os.path.exists(file):
                with open(file, encoding="utf-8") as f:
                    pki[name.replace("-", "_") + field] = f.read()
    return pki


def set_of(doc, proof):
    """What a restore needs beside the file: whose it is, all authorities' keys, and the proof that the seal makes trustworthy."""
    document = {key: value for key, value in doc.items() if key not in OWN}
    document["pki"] = authorities_of(doc)
    return {"format": 1, "id": id_of(proof), "proof": proof, "document": document, "encryption": None}


def manifest_of(doc, proof, objects):
    """objects: {"etcd" or "set": (file name, size, sha256)} of what is sealed."""
    listed = {what: {"name": name, "size": size, "sha256": sha256} for what, (name, size, sha256) in objects.items()}
    return {"format": 1, "id": id_of(proof), "cluster": doc["cluster"]["name"], "proof": proof, "objects": listed}


def put_sealed(bucket, passphrase, source, key):
    """(name, size, sha256) of the object. The sealed copy stands beside the source while it is sent."""
    beside = source + ".sealed.part"
    try:
        sealed.seal(passphrase, source, beside)
        entry = (key.rpartition("/")[2], os.path.getsize(beside), snapshots.sha256(beside))
        bucket.put(key, beside)
        return entry
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def upload(bucket, target, doc, proof, folder=snapshots.FOLDER):
    """Sends one proven snapshot. target: the Secret's texts and the policy's in one. Returns its id."""
    snapshots.sweep(folder)
    at = folder_of(target, doc) + id_of(proof) + "/"
    source = os.path.join(folder, proof["name"] + ".db")
    snapshots.spare(folder, os.path.getsize(source), "a sealed copy")
    plain = os.path.join(folder, "set.part")
    small = os.path.join(folder, "manifest.part")
    try:
        objects = {"etcd": put_sealed(bucket, target["passphrase"], source, at + "etcd.sealed")}
        snapshots.write(plain, set_of(doc, proof))
        objects["set"] = put_sealed(bucket, target["passphrase"], plain, at + "set.sealed")
        snapshots.write(small, manifest_of(doc, proof, objects))
        bucket.put(at + MANIFEST, small)
    finally:
        for path in (plain, small):
            if os.path.exists(path):
                os.remove(path)
    return id_of(proof)


def listed(keys, below):
    """{id: [keys]} of what stands below the cluster's folder; names that are not ours are left alone."""
    found = {}
    for key in keys:
        snapshot, _, rest = key[len(below) :].partition("/")
        if key.startswith(below) and rest and taken_at(snapshot) is not None:
            found.setdefault(snapshot, []).append(key)
    return found


def surplus(found, below, keep, now):
    """Keys that may go, in the order in which they go: manifests first, so that no half snapshot ever counts."""
    whole = sorted(name for name, keys in found.items() if below + name + "/" + MANIFEST in keys)
    old = whole[: max(0, len(whole) - max(1, keep))]
    broken = [name for name in sorted(found) if name not in whole and now - (taken_at(name) or 0) > UNFINISHED_SECONDS]
    keys = [key for name in old + broken for key in found[name]]
    return sorted(keys, key=lambda key: (not key.endswith("/" + MANIFEST), key))


def prune(bucket, target, doc, now):
    """How many objects were deleted."""
    below = folder_of(target, doc)
    keys = surplus(listed([key for key, _ in bucket.list(below)], below), below, target["keep"], now)
    for key in keys:
        bucket.delete(key)
    return len(keys)


def send(target, doc, proof, clock=time.time, folder=snapshots.FOLDER):
    """{"id", "at", "taken", "target", "problem"}; problem: why old ones stay there, or None. The snapshot itself is safe then."""
    missing = [name for name in KEYS if not target.get(name)]
    if missing:
        raise snapshots.SnapshotError("the Secret kube-system/honest-paas-backup lacks %s: apply again" % ", ".join(missing))
    bucket = s3.Bucket({**target, "access_key": target["access_key_id"], "secret_key": target["secret_access_key"]})
    done = {"id": upload(bucket, target, doc, proof, folder), "at": int(clock()), "taken": snapshots.taken_at(proof["name"])}
    try:
        prune(bucket, target, doc, clock())
        problem = None
    except s3.S3Error as cause:
        problem = "old snapshots stay at the target: %s" % cause
    return dict(done, target=digest_of(target), problem=problem)


def said(node, name):
    """What an agent wrote on its Node under that annotation, or {}."""
    try:
        found = json.loads((node["metadata"].get("annotations") or {}).get(name, "{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
