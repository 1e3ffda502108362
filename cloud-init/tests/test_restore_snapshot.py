"""A snapshot is fetched, opened, judged and unpacked beside what the disk holds, or refused in words before anything is touched."""

import hashlib
import http.server
import json
import os
import threading

import pytest
from honest import host, restore
from honest_agent import sealed
from test_restore import MEMBERS, NAMES, UID, document, identity, lived, on


def snapshot(uid=UID, kubernetes="1.36.3"):
    """As much of etcd's file as is looked at."""
    return b"bolt" * 5000 + uid.encode() + b" registry.k8s.io/kube-apiserver:v" + kubernetes.encode() + b"\0" * 5000


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A server of files, and etcdutl that says what it was asked."""
    folder = tmp_path / "served"
    folder.mkdir()
    monkeypatch.setattr(restore, "FILE", str(tmp_path / "fetched"))
    calls = []

    def run(argv, timeout=0):
        calls.append(argv)
        if argv[2] == "status":
            return json.dumps({"version": calls[0] if isinstance(calls[0], str) else "3.6.0"})
        os.makedirs(argv[argv.index("--data-dir") + 1] + "/member")
        with open(argv[3], "rb") as f:
            calls.append(f.read())
        return ""

    monkeypatch.setattr(restore, "run", run)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

        def log_message(self, *args):
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield folder, "http://127.0.0.1:%d/" % server.server_address[1], calls
    server.shutdown()
    thread.join()
    server.server_close()


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.world
@pytest.mark.parametrize("closed", [False, True])
def test_a_good_snapshot_is_unpacked_for_this_member(tmp_path, served, closed):
    folder, url, calls = served
    (folder / "s").write_bytes(snapshot())
    more = {}
    if closed:
        sealed.seal("open", str(folder / "s"), str(folder / "sealed"))
        os.rename(folder / "sealed", folder / "s")
        more = {"passphrase": "open"}
    doc = document(url=url + "s?X-Amz-Signature=secret", sha256=sha256(folder / "s"), **more)
    with on(lived(tmp_path / "a")) as disk_folder:
        restore.unpack(doc)
        assert (disk_folder / "restored-1/member").is_dir()
        assert (disk_folder / "etcd/member/data").read_text() == "old"
        # nothing is fetched twice
        restore.unpack(doc)
    argv, data = calls[1], calls[2]
    assert data == snapshot()
    assert len(calls) == 3
    said = dict(zip(argv[4::2], argv[5::2]))
    assert said["--initial-cluster"] == ",".join("%s=https://%s:2380" % pair for pair in sorted(MEMBERS.items()))
    assert said["--initial-cluster-token"] == "u-1-1"
    assert said["--name"] == NAMES[0]
    assert said["--initial-advertise-peer-urls"] == "https://10.0.0.11:2380"
    assert argv[-3:] == ["--bump-revision", "1000000000", "--mark-compacted"]
    assert not list(tmp_path.glob("fetched*"))


@pytest.mark.world
@pytest.mark.parametrize(
    "what, words",
    [
        ("missing", "is not fetched: HTTP Error 404"),
        ("cut off", "cut off or another file"),
        ("sealed, no passphrase", "sealed and no passphrase"),
        ("plain, passphrase", "is not sealed"),
        ("wrong passphrase", "does not open"),
        ("changed", "does not open"),
        ("sealed and cut off", "does not open"),
        ("foreign", "of another cluster"),
        ("newer Kubernetes", "of Kubernetes 1.37, this machine runs 1.36.3"),
        ("newer etcd", "of etcd 3.7.0, this machine runs 3.6.16"),
    ],
)
def test_a_bad_snapshot_is_refused_in_words_and_nothing_is_touched(tmp_path, served, what, words):
    folder, url, calls = served
    source = folder / "s"
    uid, version = ("u-2" if what == "foreign" else UID), ("1.37.2" if what == "newer Kubernetes" else "1.36.3")
    source.write_bytes(snapshot(uid, version))
    more = {} if what in ("missing", "cut off", "sealed, no passphrase", "foreign") or "newer" in what else {"passphrase": "open"}
    if what in ("sealed, no passphrase", "wrong passphrase", "changed", "sealed and cut off"):
        sealed.seal("another" if what == "wrong passphrase" else "open", str(source), str(folder / "sealed"))
        os.rename(folder / "sealed", source)
    if what == "changed":
        data = bytearray(source.read_bytes())
        data[1000] ^= 1
        source.write_bytes(data)
    if what == "sealed and cut off":
        source.write_bytes(source.read_bytes()[:-1])
    if what == "newer etcd":
        calls.append("3.7.0")
    digest = sha256(source)
    if what == "cut off":
        source.write_bytes(source.read_bytes()[:-1])
    doc = document(url=url + ("none" if what == "missing" else "s") + "?X-Amz-Signature=secret", sha256=digest, **more)
    with on(lived(tmp_path / "a")) as disk_folder:
        before = identity(disk_folder)
        with pytest.raises(host.StageError, match=words) as said:
            restore.settle(doc, {})
        assert "secret" not in str(said.value)
        assert sorted(os.listdir(disk_folder)) == ["birth.json", "etcd", "had-quorum", "identity.json", "start.json"]
        assert identity(disk_folder) == before
