"""How this member's etcd starts: what is decided about its disk, what its unit checks before each start, how it asks in."""

import json
import subprocess

import documents
import pytest
from honest import disk, etcd, host, peer

OURS = {"uid": "u-1", "node": "demo-cp-a", "nonce": "n-a"}
START = {"state": "new", "members": {"demo-cp-a": "10.0.0.11"}, "number": 0}


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A control plane with a mounted, empty disk of ours, and the folder of that disk."""
    (tmp_path / "etcd").mkdir()
    (tmp_path / "identity.json").write_text(json.dumps(OURS))
    for module, name, path in (
        (disk, "MOUNT", ""),
        (disk, "DATA", "etcd"),
        (disk, "IDENTITY", "identity.json"),
        (peer, "SET", "birth.json"),
        (peer, "QUORUM", "had-quorum"),
        (etcd, "START", "start.json"),
    ):
        monkeypatch.setattr(module, name, str(tmp_path / path))
    monkeypatch.setattr(disk, "mounted", lambda: True)
    monkeypatch.setattr(etcd, "ticket_problem", lambda _doc: None)
    return tmp_path


@pytest.mark.parametrize(
    "identity, start, number, mounted, data, words",
    [
        (OURS, START, 0, True, True, None),
        (OURS, START, 0, True, False, None),
        (OURS, START, 0, False, True, "is not mounted"),
        ({**OURS, "uid": "u-2"}, START, 0, True, True, "belongs to cluster u-2"),
        ({**OURS, "node": "demo-cp-b"}, START, 0, True, True, "belongs to node demo-cp-b"),
        (None, START, 0, True, True, "no identity"),
        (OURS, None, 0, True, False, "no birth or join was decided"),
        # the document is of a restore that this disk has not made, or of before one that it has
        (OURS, START, 1, True, True, "number 1"),
        (OURS, {**START, "number": 2}, 1, True, True, "number 1"),
    ],
)
def test_the_check_before_each_start(machine, monkeypatch, identity, start, number, mounted, data, words):
    written = []
    monkeypatch.setattr(etcd, "load", lambda: documents.control_plane(etcd={"disk": "d", "number": number}))
    monkeypatch.setattr(disk, "mounted", lambda: mounted)
    monkeypatch.setattr(etcd, "write", lambda *args: written.append(args))
    (machine / "identity.json").write_text(json.dumps(identity))
    if start:
        (machine / "start.json").write_text(json.dumps(start))
    if data:
        (machine / "etcd/member").mkdir()
    if words is None:
        etcd.check()
        assert written[0][0] == "/run/honest-etcd.env"
        assert written[0][2] == 0o600
    else:
        with pytest.raises(host.StageError, match=words):
            etcd.check()
        assert written == []


def test_a_member_of_a_quorum_never_starts_without_its_data(machine, monkeypatch):
    (machine / "start.json").write_text(json.dumps(START))
    (machine / "had-quorum").touch()
    monkeypatch.setattr(etcd, "load", documents.control_plane)
    for work in (etcd.check, lambda: etcd.settle(documents.control_plane())):
        with pytest.raises(host.StageError, match="restore a snapshot"):
            work()


def asked(monkeypatch, answers):
    monkeypatch.setattr(peer, "ask", lambda address: answers.get(address))


def answer(state="empty", nonce="n-b", members=None, quorum=False):
    return {"state": state, "nonce": nonce, "set": members, "quorum": quorum, "uid": "u-1", "number": 0}


def started(machine):
    return json.loads((machine / "start.json").read_text())


def test_a_birth_of_two_goes_in_two_steps(machine, monkeypatch):
    doc = documents.control_plane()
    asked(monkeypatch, {})
    with pytest.raises(host.Waiting, match="no answer from demo-cp-b"):
        etcd.settle(doc)
    assert not (machine / "birth.json").exists()
    asked(monkeypatch, {"10.0.0.12": answer()})
    with pytest.raises(host.Waiting, match="waiting for the others"):
        etcd.settle(doc)
    agreed = {"demo-cp-a": "n-a", "demo-cp-b": "n-b"}
    assert json.loads((machine / "birth.json").read_text()) == {"set": agreed}
    assert not (machine / "start.json").exists()
    asked(monkeypatch, {"10.0.0.12": answer("born", members=agreed)})
    etcd.settle(doc)
    assert started(machine) == {"state": "new", "members": doc["members"], "number": 0}


def test_a_birth_that_this_document_does_not_know_is_not_joined(machine, monkeypatch):
    foreign = {"demo-cp-a": "n-a", "demo-cp-b": "n-b", "demo-cp-z": "n-z"}
    asked(monkeypatch, {"10.0.0.12": answer("born", members=foreign)})
    with pytest.raises(host.StageError, match="demo-cp-z"):
        etcd.settle(documents.control_plane())
    assert not (machine / "birth.json").exists()


def test_what_is_decided_stays(machine, monkeypatch):
    (machine / "start.json").write_text(json.dumps(START))
    (machine / "etcd/member").mkdir()
    monkeypatch.setattr(peer, "ask", lambda _address: pytest.fail("nobody has to be asked"))
    etcd.settle(documents.control_plane())
    assert started(machine) == START


def test_data_without_a_decision_is_a_disk_from_before(machine, monkeypatch):
    (machine / "etcd/member").mkdir()
    asked(monkeypatch, {})
    etcd.settle(documents.control_plane())
    assert started(machine)["state"] == "existing"


class Etcd:
    """A living etcd as etcdctl shows it: [(name, id, address)], and whether it takes a new member now."""

    def __init__(self, monkeypatch, members, takes=True):
        self.members, self.takes, self.calls = members, takes, []
        monkeypatch.setattr(etcd, "etcdctl", self.ctl)

    def ctl(self, addresses, *words, check=True):
        self.calls.append((tuple(addresses), *words))
        if words[:2] == ("member", "list"):
            rows = [{"name": n, "ID": i, "peerURLs": ["https://%s:2380" % a]} for n, i, a in self.members]
            return json.dumps({"members": [{k: v for k, v in row.items() if v != ""} for row in rows]})
        if words[:2] == ("member", "remove"):
            self.members = [m for m in self.members if "%x" % m[1] != words[2]]
            return ""
        if words[:2] == ("member", "add"):
            if not self.takes:
                return subprocess.CompletedProcess([], 1, "", "etcdserver: too many learner members in cluster")
            # a member that has not started yet has no name
            self.members = [*self.members, ("", 99, "10.0.0.11")]
            return subprocess.CompletedProcess([], 0, "", "")
        raise AssertionError(words)

    def did(self, word):
        return [c for c in self.calls if c[2] == word]


LIVING = {"10.0.0.12": answer("lives", members={"demo-cp-b": "n-b"}, quorum=True)}


def test_an_empty_successor_asks_in_under_its_own_name(machine, monkeypatch):
    """Remove, then add as a learner, and nobody else is touched: also not a member that is dead."""
    living = Etcd(monkeypatch, [("demo-cp-a", 10, "10.0.0.11"), ("demo-cp-b", 11, "10.0.0.12"), ("demo-cp-c", 12, "10.0.0.13")])
    asked(monkeypatch, LIVING)
    doc = documents.control_plane(ticket=None)
    with pytest.raises(host.Waiting, match="has left"):
        etcd.settle(doc)
    assert living.did("remove") == [(("10.0.0.12",), "member", "remove", "a")]
    etcd.settle(doc)
    assert [c[2:] for c in living.did("add")] == [("add", "demo-cp-a", "--learner", "--peer-urls=https://10.0.0.11:2380")]
    everyone = {"demo-cp-a": "10.0.0.11", "demo-cp-b": "10.0.0.12", "demo-cp-c": "10.0.0.13"}
    assert started(machine) == {"state": "existing", "members": everyone, "number": 0}
    assert len(living.did("remove")) == 1


def test_growth_waits_while_etcd_takes_nobody(machine, monkeypatch):
    living = Etcd(monkeypatch, [("demo-cp-b", 11, "10.0.0.12")], takes=False)
    asked(monkeypatch, LIVING)
    with pytest.raises(host.Waiting, match="too many learner"):
        etcd.settle(documents.control_plane(ticket=None))
    assert not (machine / "start.json").exists()
    living.takes = True
    etcd.settle(documents.control_plane(ticket=None))
    assert started(machine)["members"] == {"demo-cp-a": "10.0.0.11", "demo-cp-b": "10.0.0.12"}


def test_one_that_was_added_before_a_power_cut_is_not_added_twice(machine, monkeypatch):
    living = Etcd(monkeypatch, [("demo-cp-b", 11, "10.0.0.12"), ("", 99, "10.0.0.11")])
    asked(monkeypatch, LIVING)
    etcd.settle(documents.control_plane(ticket=None))
    assert living.did("add") == living.did("remove") == []
    assert started(machine)["state"] == "existing"


@pytest.mark.parametrize(
    "status, promoted",
    [
        ({"isLearner": True, "header": {"member_id": 255}}, [(("10.0.0.12",), "member", "promote", "ff")]),
        ({"header": {"member_id": 255}}, []),
        (None, []),
    ],
)
def test_a_learner_asks_the_others_to_make_it_a_voter(monkeypatch, status, promoted):
    calls = []

    def ctl(addresses, *words, check=True):
        if words[0] == "endpoint":
            shown = json.dumps([{"Status": status}])
            return subprocess.CompletedProcess([], 1 if status is None else 0, shown, "")
        calls.append((tuple(addresses), *words))
        return subprocess.CompletedProcess([], 0, "", "")

    monkeypatch.setattr(etcd, "etcdctl", ctl)
    etcd.promote(documents.control_plane())
    assert calls == promoted
