"""What goes to the target and what may leave it."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import s3
import sealed
import snapshots
import target

DOC = {
    "schema": 1,
    "cluster": {"name": "prod", "uid": "u"},
    "node": {"name": "a"},
    "address": "10.0.0.1",
    "ticket": None,
    "restore": {"url": "https://s3/key?signature", "passphrase": "of another time"},
    "join": None,
    "kubelet": {},
    "mirror": {},
    "pki": {"ca_key": "KEY"},
    "etcd": {"disk": "d", "number": 0},
}
PLACE = {"endpoint": "https://s3", "bucket": "b", "prefix": "p/", "region": "r", "keep": 2}
PLACE.update(access_key_id="i", secret_access_key="s", passphrase="correct horse")
BELOW = "p/prod/u/"


def proof(name="20261130T120000Z"):
    return {"name": name, "node": "a", "size": 4, "sha256": "x", "cluster_uid": "u", "number": 0}


class Store:
    """A bucket in memory; `refused`: which call fails."""

    def __init__(self, refused=None):
        self.objects, self.order, self.refused = {}, [], refused

    def __call__(self, place):
        self.place = place
        return self

    def check(self, what):
        if self.refused == what:
            raise s3.S3Error(403, "no " + what)

    def put(self, key, file):
        self.check("put " + key.rpartition("/")[2])
        self.order.append(key)
        self.objects[key] = Path(file).read_bytes()

    def list(self, prefix):
        return [(key, len(body)) for key, body in self.objects.items() if key.startswith(prefix)]

    def delete(self, key):
        self.check("delete")
        del self.objects[key]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "20261130T120000Z.db").write_bytes(b"data")
    # the seal has tests of its own
    monkeypatch.setattr(sealed, "seal", lambda key, source, to: Path(to).write_bytes(key.encode() + b":" + Path(source).read_bytes()))
    monkeypatch.setattr(snapshots, "spare", lambda *_: None)
    return tmp_path


def send(store, folder, monkeypatch, now=1796040060):
    monkeypatch.setattr(s3, "Bucket", store)
    return target.send(PLACE, DOC, proof(), clock=lambda: now, folder=str(folder))


def test_three_objects_and_the_manifest_last(folder, monkeypatch):
    store = Store()
    done = send(store, folder, monkeypatch)
    at = BELOW + "20261130T120000Z-a/"
    assert store.order == [at + "etcd.sealed", at + "set.sealed", at + "manifest.json"]
    assert done == {"id": "20261130T120000Z-a", "at": 1796040060, "taken": 1796040000, "target": target.digest_of(PLACE), "problem": None}
    manifest = json.loads(store.objects[at + "manifest.json"])
    assert manifest["objects"]["etcd"]["size"] == len(store.objects[at + "etcd.sealed"])
    assert manifest["proof"] == proof()
    assert store.place["secret_key"] == "s"
    assert sorted(p.name for p in folder.iterdir()) == ["20261130T120000Z.db"]


def test_the_set_has_the_authorities_and_nothing_of_the_machine(folder, monkeypatch):
    store = Store()
    send(store, folder, monkeypatch)
    held = json.loads(store.objects[BELOW + "20261130T120000Z-a/set.sealed"].partition(b":")[2])
    assert held["document"]["pki"] == {"ca_key": "KEY"}
    assert (held["id"], held["proof"], held["encryption"]) == ("20261130T120000Z-a", proof(), None)
    assert not set(target.OWN) & set(held["document"])
    # of a cluster that was restored before: where from, and with which passphrase, is nobody's business later
    assert "restore" not in held["document"]
    assert b"KEY" not in store.objects[BELOW + "20261130T120000Z-a/manifest.json"]


def test_the_set_has_the_authorities_of_now_after_a_rotation(folder, monkeypatch, tmp_path):
    (tmp_path / "pki" / "etcd").mkdir(parents=True)
    for name, text in (("ca.crt", "NEW AND OLD"), ("ca.key", "NEW KEY"), ("etcd/ca.key", "NEW ETCD KEY")):
        (tmp_path / "pki" / name).write_text(text)
    monkeypatch.setattr(target.observe, "PKI", str(tmp_path / "pki"))
    store = Store()
    send(store, folder, monkeypatch)
    held = json.loads(store.objects[BELOW + "20261130T120000Z-a/set.sealed"].partition(b":")[2])
    assert held["document"]["pki"] == {"ca_cert": "NEW AND OLD", "ca_key": "NEW KEY", "etcd_ca_key": "NEW ETCD KEY"}


@pytest.mark.parametrize("refused", ["put etcd.sealed", "put set.sealed", "put manifest.json"])
def test_an_upload_that_breaks_off_leaves_no_manifest_and_no_copies(folder, monkeypatch, refused):
    store = Store(refused)
    with pytest.raises(s3.S3Error):
        send(store, folder, monkeypatch)
    assert not [key for key in store.objects if key.endswith("manifest.json")]
    assert sorted(p.name for p in folder.iterdir()) == ["20261130T120000Z.db"]


def test_a_secret_without_a_key_is_named(folder, monkeypatch):
    monkeypatch.setattr(s3, "Bucket", Store())
    with pytest.raises(snapshots.SnapshotError, match="honest-paas-backup lacks passphrase"):
        target.send({**PLACE, "passphrase": ""}, DOC, proof(), folder=str(folder))


def keys(*names, below=BELOW):
    return [below + name for name in names]


def whole(*names):
    return [key for name in names for key in keys(name + "/etcd.sealed", name + "/manifest.json", name + "/set.sealed")]


NOW = snapshots.taken_at("20261130T120000Z")


def test_the_oldest_go_manifest_first():
    found = target.listed(whole("20261130T100000Z-a", "20261130T110000Z-b", "20261130T113000Z-a"), BELOW)
    assert target.surplus(found, BELOW, 2, NOW) == keys(
        "20261130T100000Z-a/manifest.json", "20261130T100000Z-a/etcd.sealed", "20261130T100000Z-a/set.sealed"
    )
    assert target.surplus(found, BELOW, 3, NOW) == []
    # the last one never goes
    assert len(target.surplus(found, BELOW, 0, NOW)) == 6


def test_what_is_unfinished_goes_when_nobody_can_be_at_it_and_what_is_not_ours_stays():
    stray = keys("20261129T110000Z-a/etcd.sealed", "20261130T115900Z-a/etcd.sealed", "notes/readme", "20261128T110000Z")
    found = target.listed([*stray, *whole("20261130T100000Z-a"), "q/other"], BELOW)
    assert target.surplus(found, BELOW, 5, NOW) == keys("20261129T110000Z-a/etcd.sealed")


def test_a_target_that_lets_nothing_be_deleted_has_the_snapshot_all_the_same(folder, monkeypatch):
    store = Store("delete")
    store.objects = dict.fromkeys(whole("20261130T100000Z-a", "20261130T110000Z-a"), b"")
    done = send(store, folder, monkeypatch)
    assert done["problem"] == "old snapshots stay at the target: no delete"
    assert BELOW + "20261130T120000Z-a/manifest.json" in store.objects
