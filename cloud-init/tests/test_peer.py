"""What control planes tell each other about their etcd disks: real HTTPS on loopback, with the etcd CA on both ends."""

import json
import socket
import ssl
import threading
import time

import documents
import pytest
from honest import disk, peer
from support import trust

pytestmark = pytest.mark.world
HERE = "127.0.0.1"
OURS = {"uid": "u-1", "node": "demo-cp-a", "nonce": "n-1"}


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with a mounted disk of ours; nothing is on it yet."""
    mount = tmp_path / "disk"
    (mount / "etcd").mkdir(parents=True)
    (mount / "identity.json").write_text(json.dumps(OURS))
    monkeypatch.setattr(disk, "MOUNT", str(mount))
    monkeypatch.setattr(disk, "DATA", str(mount / "etcd"))
    monkeypatch.setattr(disk, "IDENTITY", str(mount / "identity.json"))
    monkeypatch.setattr(disk, "mounted", lambda: True)
    monkeypatch.setattr(peer, "SET", str(mount / "birth.json"))
    monkeypatch.setattr(peer, "QUORUM", str(mount / "had-quorum"))
    return mount


def certificates(folder):
    """Paths of an authority and of a certificate that it gave."""
    folder.mkdir()
    authority = trust.authority(folder, "etcd_ca")
    made, key = trust.leaf(folder, *authority, "peer", [HERE])
    for name, text in (("CERT", made), ("KEY", key), ("CA", authority[0])):
        (folder / name).write_text(text)
    return {name: str(folder / name) for name in ("CERT", "KEY", "CA")}


@pytest.fixture
def ours(monkeypatch, tmp_path):
    """Both sides have a certificate of our authority."""
    paths = certificates(tmp_path / "ours")
    for name, path in paths.items():
        monkeypatch.setattr(peer, name, path)


@pytest.fixture
def server(monkeypatch, machine, ours):
    """The other control plane, listening."""
    listening = peer.serve(documents.control_plane(), HERE, 0)
    monkeypatch.setattr(peer, "PORT", listening.server_address[1])
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_an_empty_disk_says_so_with_its_nonce(server):
    assert peer.ask(HERE) == {"state": "empty", "nonce": "n-1", "set": None, "quorum": False, "uid": "u-1", "number": 0}


def test_a_birth_that_was_written_down_and_a_life_with_quorum(server, machine):
    (machine / "birth.json").write_text(json.dumps({"set": {"demo-cp-a": "n-1"}}))
    assert peer.ask(HERE)["state"] == "born"
    assert peer.ask(HERE)["set"] == {"demo-cp-a": "n-1"}
    (machine / "etcd/member").mkdir()
    (machine / "had-quorum").touch()
    answer = peer.ask(HERE)
    assert (answer["state"], answer["quorum"]) == ("lives", True)


@pytest.mark.parametrize("identity", [None, {**OURS, "uid": "u-2"}, {**OURS, "node": "demo-cp-b"}])
def test_of_a_disk_that_is_not_this_nodes_nothing_is_said(server, machine, identity):
    (machine / "identity.json").write_text(json.dumps(identity))
    assert peer.ask(HERE) is None


def test_of_a_disk_that_is_not_mounted_nothing_is_said(server, monkeypatch):
    monkeypatch.setattr(disk, "mounted", lambda: False)
    assert peer.ask(HERE) is None


def test_nobody_listens(monkeypatch, machine, ours):
    with socket.socket() as free:
        free.bind((HERE, 0))
        monkeypatch.setattr(peer, "PORT", free.getsockname()[1])
    assert peer.ask(HERE) is None


@pytest.mark.parametrize("shows", ["another authority's certificate", "none"])
def test_a_stranger_gets_no_answer(server, tmp_path, shows):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if shows != "none":
        foreign = certificates(tmp_path / "stranger")
        context.load_cert_chain(foreign["CERT"], foreign["KEY"])
    answer = b""
    try:
        with context.wrap_socket(socket.create_connection((HERE, peer.PORT), 5)) as link:
            link.sendall(b"GET /status HTTP/1.0\r\n\r\n")
            answer = link.recv(100)
    except OSError:
        pass
    assert answer == b""
    assert peer.ask(HERE) is not None


def test_a_stranger_is_not_believed(monkeypatch, ours, tmp_path):
    """Somebody else at a member's address who says that all is empty."""
    foreign = certificates(tmp_path / "stranger")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(foreign["CERT"], foreign["KEY"])
    listening = socket.create_server((HERE, 0))
    monkeypatch.setattr(peer, "PORT", listening.getsockname()[1])
    said = []

    def lie():
        link, _ = listening.accept()
        try:
            with context.wrap_socket(link, server_side=True) as secure:
                said.append(secure.recv(1000))
                secure.sendall(b'HTTP/1.0 200 OK\r\n\r\n{"state": "empty"}')
        except OSError:
            link.close()

    thread = threading.Thread(target=lie)
    thread.start()
    assert peer.ask(HERE) is None
    thread.join()
    listening.close()
    assert said in ([], [b""])


def test_a_silent_caller_does_not_hold_up_the_others(server):
    with socket.create_connection((HERE, peer.PORT), 5):
        began = time.monotonic()
        assert peer.ask(HERE) is not None
        assert time.monotonic() - began < 2
