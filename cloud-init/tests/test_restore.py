"""A cluster goes back to a snapshot: what is set aside, what is refused before that, and random orders of machines, power cuts,
lost disks and further restores on the real functions, each machine with a disk of its own."""

import contextlib
import json
import os
import random

import documents
import pytest
from honest import disk, etcd, host, peer, restore

UID = "u-1"
NAMES = ("demo-cp-a", "demo-cp-b", "demo-cp-c")
MEMBERS = {name: "10.0.0.1%d" % (n + 1) for n, name in enumerate(NAMES)}
LATER, BEFORE = "2999-01-01T00:00:00Z", "2020-01-01T00:00:00Z"
WAYS = {"MOUNT": "", "DATA": "etcd", "IDENTITY": "identity.json", "SET": "birth.json", "QUORUM": "had-quorum", "START": "start.json"}


def document(name=NAMES[0], number=1, members=MEMBERS, **asked):
    block = dict({"url": "http://10.0.0.1/s", "sha256": "0" * 64, "not_after": LATER}, **asked)
    node = dict(documents.CONTROL_PLANE["node"], name=name)
    more = {"restore": block} if number and asked.get("url", True) else {}
    return documents.control_plane(node=node, members=members, etcd={"disk": "d", "number": number}, address=members[name], **more)


@contextlib.contextmanager
def on(folder):
    """The functions work on the disk in this folder."""
    before = {}
    for name, path in WAYS.items():
        module = next(m for m in (disk, peer, etcd) if hasattr(m, name))
        before[name] = (module, getattr(module, name))
        setattr(module, name, str(folder / path) if path else str(folder))
    try:
        yield folder
    finally:
        for name, (module, value) in before.items():
            setattr(module, name, value)


def formatted(folder, name=NAMES[0], number=0, nonce="n-0"):
    (folder / "etcd").mkdir(parents=True)
    identity = {"uid": UID, "node": name, "nonce": nonce}
    (folder / "identity.json").write_text(json.dumps({**identity, "number": number} if number else identity))
    return folder


def lived(folder, number=0, data="old"):
    """A member of a quorum, as number 0 or later."""
    formatted(folder, number=number)
    (folder / "etcd/member").mkdir()
    (folder / "etcd/member/data").write_text(data)
    (folder / "birth.json").write_text('{"set": {}}')
    (folder / "had-quorum").touch()
    (folder / "start.json").write_text(json.dumps({"state": "new", "members": MEMBERS, "number": number}))
    return folder


@pytest.fixture
def calm(monkeypatch):
    monkeypatch.setattr(disk, "mounted", lambda: True)
    monkeypatch.setattr(etcd, "synchronised", lambda: True)
    monkeypatch.setattr(peer, "ask", lambda _address: None)


def fake_unpack(monkeypatch):
    """The snapshot is there and good."""

    def unpack(doc):
        if not os.path.isdir(restore.unpacked(doc)):
            os.makedirs(restore.unpacked(doc) + "/member")

    monkeypatch.setattr(restore, "unpack", unpack)


def identity(folder):
    return json.loads((folder / "identity.json").read_text())


@pytest.mark.parametrize(
    "asked, steady, words",
    [
        ({}, True, None),
        ({"not_after": BEFORE}, True, "had time until 2020"),
        ({"url": None}, True, "names no snapshot"),
        ({}, False, "not synchronised"),
    ],
)
def test_whether_this_machine_may_go_back(monkeypatch, asked, steady, words):
    monkeypatch.setattr(etcd, "synchronised", lambda: steady)
    doc = document(**asked)
    if "url" in asked:
        doc.pop("restore", None)
    found = restore.problem(doc)
    assert found is None if words is None else words in found


def test_what_is_there_is_set_aside_and_kept(tmp_path, calm, monkeypatch):
    fake_unpack(monkeypatch)
    with on(lived(tmp_path / "a")) as folder:
        with pytest.raises(host.Waiting, match="no answer from demo-cp-b, demo-cp-c"):
            etcd.settle(document())
        kept = folder / "number-0"
        assert (kept / "etcd/member/data").read_text() == "old"
        assert sorted(os.listdir(kept)) == ["birth.json", "etcd", "had-quorum", "start.json"]
        assert (identity(folder)["number"], peer.answer(document())["state"]) == (1, "empty")
        assert identity(folder)["nonce"] != "n-0"


def test_a_second_restore_sets_the_first_aside_too(tmp_path, calm, monkeypatch):
    fake_unpack(monkeypatch)
    with on(lived(tmp_path / "a", number=1, data="first")) as folder:
        (folder / "number-0").mkdir()
        with pytest.raises(host.Waiting):
            etcd.settle(document(number=2))
        assert (folder / "number-1/etcd/member/data").read_text() == "first"
        assert (folder / "number-0").is_dir()


def test_a_single_control_plane_starts_on_the_snapshot(tmp_path, calm, monkeypatch):
    fake_unpack(monkeypatch)
    doc = document(members={NAMES[0]: "10.0.0.11"})
    with on(lived(tmp_path / "a")) as folder:
        etcd.settle(doc)
        assert json.loads((folder / "start.json").read_text()) == {"state": "new", "members": doc["members"], "number": 1}
        assert (folder / "etcd/member").is_dir()
        assert not (folder / "restored-1").exists()
        # again at the next boot: nothing happens
        etcd.settle(doc)


@pytest.mark.parametrize("disk_is", ["lived", "fresh"])
@pytest.mark.parametrize(
    "asked, fault, words",
    [
        ({"not_after": BEFORE}, None, "had time until"),
        (None, None, "names no snapshot"),
        ({}, host.StageError("of another cluster"), "of another cluster"),
    ],
)
def test_nothing_is_touched_before_the_snapshot_is_good(tmp_path, calm, monkeypatch, disk_is, asked, fault, words):
    def refuse(_doc):
        raise fault or AssertionError("not asked for")

    monkeypatch.setattr(restore, "unpack", refuse)
    doc = document(members={NAMES[0]: "10.0.0.11"}, **(asked or {}))
    if asked is None:
        del doc["restore"]
    made = lived(tmp_path / "a") if disk_is == "lived" else formatted(tmp_path / "a", number=1)
    with on(made) as folder:
        before = identity(folder)
        with pytest.raises(host.StageError, match=words):
            etcd.settle(doc)
        assert identity(folder) == before
        assert (folder / "etcd/member").exists() == (disk_is == "lived")
        assert not (folder / "number-0").exists()


def test_a_machine_of_before_the_restore_never_starts(tmp_path, calm, monkeypatch):
    with on(lived(tmp_path / "a", number=1)):
        for work in (etcd.settle, lambda doc: (monkeypatch.setattr(etcd, "load", lambda: doc), etcd.check())):
            with pytest.raises(host.StageError, match="number"):
                work(document(number=0))


def test_who_comes_late_joins_without_the_snapshot(tmp_path, calm, monkeypatch):
    monkeypatch.setattr(restore, "unpack", lambda _doc: pytest.fail("not needed"))
    asked_in = []
    monkeypatch.setattr(etcd, "join", lambda _doc, living: asked_in.append(living) or MEMBERS)
    alive = {"state": "lives", "nonce": "x", "set": {NAMES[1]: "x"}, "quorum": True, "uid": UID, "number": 1}
    monkeypatch.setattr(peer, "ask", {MEMBERS[NAMES[1]]: alive}.get)
    with on(lived(tmp_path / "a")) as folder:
        etcd.settle(document(not_after=BEFORE))
        assert asked_in == [["10.0.0.12"]]
        assert (folder / "number-0/etcd/member").is_dir()
        assert json.loads((folder / "start.json").read_text())["state"] == "existing"


class PowerCut(BaseException):
    """Nothing catches it."""


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("cut", range(40))
def test_a_power_cut_at_any_write_leaves_what_goes_on(tmp_path, calm, monkeypatch, cut, members):
    """Before or after each rename and each folder: the next boot comes to the same end, and nothing of before is lost."""
    fake_unpack(monkeypatch)
    names = NAMES[:members]
    doc = document(members={n: MEMBERS[n] for n in names})
    left = [cut]

    def cutting(real):
        def work(*args, **kwargs):
            if left[0] == 0:
                raise PowerCut
            left[0] -= 1
            done = real(*args, **kwargs)
            if left[0] == 0:
                raise PowerCut
            left[0] -= 1
            return done

        return work

    with on(lived(tmp_path / "a")) as folder:

        def boot():
            # the others go the same way and answer at once
            mine = identity(folder)
            agreed = {n: mine["nonce"] if n == NAMES[0] else "n-" + n for n in names}
            wrote = (folder / "birth.json").exists() and mine.get("number") == 1
            others = {"state": "born" if wrote else "empty", "set": agreed if wrote else None, "quorum": False, "uid": UID, "number": 1}
            monkeypatch.setattr(peer, "ask", {MEMBERS[n]: dict(others, nonce="n-" + n) for n in names}.get)
            # as the disk's stage leaves it at each boot
            os.makedirs(disk.DATA, exist_ok=True)
            with contextlib.suppress(host.Waiting):
                etcd.settle(doc)

        with monkeypatch.context() as patched:
            for name in ("rename", "makedirs"):
                patched.setattr(os, name, cutting(getattr(os, name)))
            with contextlib.suppress(PowerCut):
                for _ in range(5):
                    boot()
        for _ in range(5):
            boot()
        assert json.loads((folder / "start.json").read_text())["number"] == 1
        assert (folder / "etcd/member").is_dir()
        assert not (folder / "etcd/member/data").exists()
        assert (folder / "number-0/etcd/member/data").read_text() == "old"


class Machine:
    """A control plane: its disk stays, the machine of the wanted number around it is made anew."""

    def __init__(self, root, name):
        self.root, self.name, self.disks = root, name, 0
        self.number, self.up, self.running, self.ticket = 0, False, False, True
        self.lose()

    def lose(self):
        """Machine and disk are new."""
        self.disks += 1
        self.folder = formatted(self.root / ("%s-%d" % (self.name, self.disks)), self.name, self.number, "%s-%d" % (self.name, self.disks))
        self.running = False

    def doc(self):
        asked = {} if self.ticket else {"not_after": BEFORE}
        return document(self.name, self.number, **asked)

    def answer(self):
        if not self.up:
            return None
        with on(self.folder):
            return peer.answer(self.doc())


@pytest.mark.parametrize("seed", range(60))
def test_random_orders_of_births_and_restores(tmp_path, calm, monkeypatch, seed):
    """Never two clusters with a quorum of one number, never a machine of a lower number at work once one of a higher has a
    quorum, nothing ever deleted from a disk, and in the end one cluster of the number that was asked for last."""
    fake_unpack(monkeypatch)
    monkeypatch.setattr(etcd, "ticket_problem", lambda _doc: None)
    rng = random.Random(seed)
    machines = {n: Machine(tmp_path, n) for n in NAMES}
    monkeypatch.setattr(peer, "ask", lambda address: next(m for m in machines.values() if MEMBERS[m.name] == address).answer())
    monkeypatch.setattr(etcd, "join", lambda _doc, _living: MEMBERS)
    wanted, clusters, kept = 0, {}, []

    def turn(m):
        with on(m.folder):
            try:
                etcd.settle(m.doc())
                monkeypatch.setattr(etcd, "load", m.doc)
                monkeypatch.setattr(etcd, "write", lambda *_: None)
                etcd.check()
            except host.StageError:
                return
            start = json.loads((m.folder / "start.json").read_text())
            m.running = True
            (m.folder / "etcd/member").mkdir(exist_ok=True)
            if start["state"] == "new":
                agreed = json.loads((m.folder / "birth.json").read_text())["set"]
                clusters.setdefault((m.number, json.dumps(agreed, sort_keys=True)), set()).add(m.name)
            voters = [x for x in machines.values() if x.running and x.number == m.number]
            if len(voters) >= 2:
                for x in voters:
                    (x.folder / "had-quorum").touch()

    for _ in range(120):
        m = rng.choice(list(machines.values()))
        event = rng.random()
        alive = [x for x in machines.values() if x.running and x.number == wanted]
        if event < 0.1:
            m.up, m.running = not m.up, False
        elif event < 0.16 and len(alive) == 3:
            # everything is lost, or a person wants the past back: a higher number, machine by machine
            wanted += 1
        elif event < 0.3 and m.number < wanted:
            if m.running:
                data = m.folder / "etcd/member/mark"
                data.write_text("%s %d" % (m.name, m.number))
                kept.append((m.folder, m.number, data.read_text()))
            m.number, m.running, m.up, m.ticket = wanted, False, True, rng.random() < 0.9
            if rng.random() < 0.3:
                kept = [k for k in kept if k[0] != m.folder]
                m.lose()
        elif m.up and not m.running:
            turn(m)
        working = [x for x in machines.values() if x.running]
        numbers = [n for n in range(wanted + 1) if len([x for x in working if x.number == n]) >= 2]
        assert len(numbers) <= 1
        for number in range(wanted + 1):
            assert len([c for c, voters in clusters.items() if c[0] == number and len(voters) >= 2]) <= 1
    for _ in range(12):
        for m in machines.values():
            if m.number < wanted:
                m.number, m.running = wanted, False
            m.up, m.ticket = True, True
            if not m.running:
                turn(m)
    assert [(m.running, m.number) for m in machines.values()] == [(True, wanted)] * 3
    for folder, number, words in kept:
        assert (folder / ("number-%d" % number) / "etcd/member/mark").read_text() == words
