"""The agent: when it restarts the kubelet, what it writes on its Node, and what does not stop it."""

import base64
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import documents
import pytest

AGENT = Path(__file__).resolve().parent.parent / "honest_agent"
sys.path.insert(0, str(AGENT))
import csr


def part(name):
    """A file of the agent by its path: the boot stage has files of the same names."""
    spec = importlib.util.spec_from_file_location("agent_" + name, AGENT / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


kubelet = part("kubelet")
LONG = 3600.0


@pytest.mark.parametrize(
    "listed, gone, running, draining, restarted",
    [
        # deleted by hand, the membership stands
        (True, 30, LONG, None, True),
        # forgotten: taken off the list. However long ago, whatever was seen before
        (False, 30, LONG, None, False),
        (False, LONG, LONG, LONG, False),
        # the delete of the Node was seen before the change of the list
        (True, 0, LONG, None, False),
        (True, 15, LONG, None, False),
        # it was being emptied a moment ago; an emptying that was given up is no reason for ever
        (True, 30, LONG, 20, False),
        (True, LONG, LONG, LONG, True),
        # restarted before, or booting: it may be about to register, and is not restarted over and over
        (True, 30, 10, None, False),
        (True, LONG, 179, None, False),
        (True, LONG, 181, None, True),
        # stopped by the boot stage, or retired
        (True, LONG, None, None, False),
    ],
)
def test_when_the_kubelet_is_restarted(listed, gone, running, draining, restarted):
    assert (kubelet.why_not(listed, gone, running, draining) is None) is restarted


class Cluster:
    """An API with one Node, a list of members and a kubelet of this machine; time goes by as the test says."""

    def __init__(self, monkeypatch, kubelet_started=-LONG):
        self.now, self.node, self.listed, self.started, self.restarts = 0.0, {}, {"w-1": "[]"}, kubelet_started, []
        monkeypatch.setattr(kubelet.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(kubelet, "running_seconds", lambda: self.now - self.started)
        monkeypatch.setattr(kubelet, "restart", self.restart)
        self.registration = kubelet.Registration("w-1")

    def restart(self):
        self.started = self.now
        self.restarts.append(self.now)

    def get(self, path):
        assert path == kubelet.LISTED
        return {"data": self.listed} if self.listed is not None else None

    def reports(self, seconds):
        end = self.now + seconds
        while self.now < end:
            self.now += 15
            if self.node is None:
                self.registration.missed(self)
            else:
                self.registration.seen(self.node)


def test_a_node_deleted_by_hand_comes_back_by_one_restart(monkeypatch):
    cluster = Cluster(monkeypatch)
    cluster.reports(60)
    cluster.node = None
    cluster.reports(60)
    assert len(cluster.restarts) == 1
    cluster.node = {}
    cluster.reports(600)
    assert len(cluster.restarts) == 1


def test_a_kubelet_that_does_not_register_is_restarted_every_three_minutes_at_most(monkeypatch, capsys):
    cluster = Cluster(monkeypatch)
    cluster.node = None
    cluster.reports(1800)
    gaps = [b - a for a, b in zip(cluster.restarts, cluster.restarts[1:])]
    assert len(gaps) >= 8
    assert min(gaps) >= kubelet.QUIET_SECONDS
    # and says so once each time, not every 15 s
    assert len(capsys.readouterr().out.splitlines()) <= 2 * len(cluster.restarts) + 2


@pytest.mark.parametrize("left", [{"other": "[]"}, {}, None])
def test_a_node_that_was_forgotten_stays_away(monkeypatch, left):
    cluster = Cluster(monkeypatch)
    cluster.reports(60)
    cluster.node, cluster.listed = None, left
    cluster.reports(3600)
    assert cluster.restarts == []
    # a membership that is made again asks it in
    cluster.listed = {"w-1": "[]"}
    cluster.reports(15)
    assert len(cluster.restarts) == 1


def test_a_node_that_is_being_emptied_is_not_called_back_between_delete_and_list(monkeypatch):
    cluster = Cluster(monkeypatch)
    cluster.node = {kubelet.DRAINING: "g1"}
    cluster.reports(60)
    cluster.node = None
    cluster.reports(150)
    assert cluster.restarts == []


@pytest.mark.parametrize(
    "shown, seconds",
    [
        ("ActiveState=active\nActiveEnterTimestampMonotonic=4000000\n", 6.0),
        ("ActiveState=activating\nActiveEnterTimestampMonotonic=4000000\n", None),
        ("ActiveState=inactive\nActiveEnterTimestampMonotonic=0\n", None),
        ("ActiveState=failed\nActiveEnterTimestampMonotonic=4000000\n", None),
    ],
)
def test_how_long_the_kubelet_has_been_running(monkeypatch, shown, seconds):
    monkeypatch.setattr(kubelet.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, stdout=shown))
    monkeypatch.setattr(kubelet.time, "monotonic", lambda: 10.0)
    assert kubelet.running_seconds() == seconds


@pytest.fixture
def main(monkeypatch, tmp_path):
    # on a node these files are top-level modules
    monkeypatch.setitem(sys.modules, "kubelet", kubelet)
    for name in ("etcd", "api"):
        monkeypatch.setitem(sys.modules, name, part(name))
    module = part("main")
    monkeypatch.setattr(module, "STATE", str(tmp_path))
    (tmp_path / "marker.json").write_text(json.dumps({"stage": "ready", "ok": True, "reason": "", "machine_id": "i-1"}))
    return module


def test_a_control_plane_writes_its_role_where_a_new_node_lacks_it(main):
    members = [{"name": "demo-cp-a", "id": "1", "learner": False, "answers": True}]
    written = main.metadata(documents.control_plane(), members)
    assert written["labels"] == {"node-role.kubernetes.io/control-plane": ""}
    assert json.loads(written["annotations"]["honest-paas.dev/etcd"])["members"] == members
    # nothing is known of etcd: nothing is said, the last word stays
    assert "honest-paas.dev/etcd" not in main.metadata(documents.control_plane(), None)["annotations"]


def test_a_worker_writes_no_labels(main):
    written = main.metadata(documents.worker(), None)
    assert written["labels"] == {}
    assert json.loads(written["annotations"]["honest-paas.dev/status"])["machine_id"] == "i-1"


class Told:
    """Stands for the registration: what it was told."""

    def __init__(self):
        self.said = []

    def seen(self, annotations):
        self.said.append(("seen", annotations))

    def missed(self, api):
        self.said.append(("missed", api))


def test_a_report_tells_whether_the_node_was_there(main):
    class Api:
        node = {"metadata": {"annotations": {"a": "b"}}}

        def note(self, _name, _metadata):
            return self.node

    api, told = Api(), Told()
    main.report(api, documents.worker(), "w-1", told)
    api.node = None
    main.report(api, documents.worker(), "w-1", told)
    assert told.said == [("seen", {"a": "b"}), ("missed", api)]


SLOW, FAILED = subprocess.TimeoutExpired(["etcdctl"], 20), subprocess.CalledProcessError(1, ["systemctl"])


@pytest.mark.parametrize("fault", [SLOW, FAILED, OSError("no route"), KeyError("data")], ids=lambda fault: type(fault).__name__)
def test_what_comes_from_outside_costs_a_round_and_not_the_agent(main, fault):
    assert isinstance(fault, main.OUTSIDE)


def test_a_duty_that_fails_leaves_the_others_and_the_report_their_turn(main, monkeypatch):
    class Duty:
        def __init__(self, fault, notes):
            self.fault, self.said, self.rounds = fault, notes, 0

        def round(self, _now):
            self.rounds += 1
            if self.fault:
                raise self.fault

        def notes(self):
            return self.said

    class Api:
        written = []

        def get(self, _path):
            return None

        def note(self, _name, metadata):
            self.written.append(metadata["annotations"])
            return {"metadata": {}}

    bad, good = Duty(OSError("no route"), {"a": "1"}), Duty(None, {"b": "2"})
    monkeypatch.setattr(main, "finish", lambda *_: set())
    monkeypatch.setattr(main, "duties_of", lambda *_: [bad, good])
    monkeypatch.setattr(main.kubelet, "Registration", lambda _node: Told())
    rounds = main.Rounds(Api(), documents.worker(), "w-1")
    assert rounds.once() is False
    bad.fault = None
    assert rounds.once() is True
    assert (bad.rounds, good.rounds) == (2, 2)
    # a report each 15 s, with what every duty says
    assert [(notes["a"], notes["b"]) for notes in Api.written] == [("1", "2")]


def test_a_report_that_is_not_taken_is_told_elsewhere_by_the_healer(main, monkeypatch, capsys):
    class Silent:
        def get(self, *_words):
            raise OSError("refused")

        note = call = get

    class Healer(main.Healer):
        causes = []

        def __init__(self):
            pass

        def round(self, _now):
            pass

        def notes(self):
            return {}

        def say_elsewhere(self, cause):
            self.causes.append(str(cause))

    monkeypatch.setattr(main, "finish", lambda *_: set())
    monkeypatch.setattr(main, "duties_of", lambda *_: [Healer()])
    monkeypatch.setattr(main.kubelet, "Registration", lambda _node: Told())
    rounds = main.Rounds(Silent(), documents.worker(), "w-1")
    assert rounds.once() is False
    assert Healer.causes == ["refused"]
    assert "report failed: OSError: refused" in capsys.readouterr().out


def node(ready, annotation):
    return {
        "metadata": {"annotations": {} if annotation is None else {"honest-paas.dev/status": annotation}},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


@pytest.mark.parametrize(
    "found, live",
    [
        (None, None),
        (node("True", '{"machine_id": "i-1"}'), "i-1"),
        (node("Unknown", '{"machine_id": "i-1"}'), None),
        # a living node that does not say which machine it is: another one may not take its name
        (node("True", None), ""),
        (node("True", "not JSON"), ""),
        (node("True", "[]"), ""),
        (node("True", '{"machine_id": null}'), ""),
    ],
)
def test_which_machine_a_living_node_is(found, live):
    class Api:
        def get(self, _path):
            return found

    assert csr.live_machine(Api(), "w-1") == live
    grant = {"node": "w-1", "machine_id": "i-1"}
    subject = {"cn": ["system:node:w-1"], "o": ["system:nodes"], "dns": [], "ips": []}
    assert (csr.judge_client("system:bootstrap:abcdef", subject, grant, live) is None) is (live in (None, "i-1"))


def test_one_request_that_cannot_be_judged_does_not_hold_up_the_others(monkeypatch, capsys):
    def request(name, text):
        return {"metadata": {"name": name}, "spec": {"signerName": csr.CLIENT, "username": "system:node:" + name, "request": text}}

    good = base64.b64encode(b"good").decode()
    listed = [request("a", "%%%"), request("b", good), request("c", base64.b64encode(b"slow").decode()), request("d", good)]

    def parse(text):
        if text == "slow":
            raise subprocess.TimeoutExpired(["openssl"], 10)
        return {"cn": ["system:node:b"], "o": ["system:nodes"], "dns": [], "ips": []}

    approved = []
    monkeypatch.setattr(csr, "parse", parse)
    monkeypatch.setattr(csr, "approve", lambda _api, c, _now: approved.append(c["metadata"]["name"]) or True)

    class Api:
        def get(self, _path):
            return {"items": listed}

        def call(self, _method, _path, event):
            events.append(event["reason"])

    events = []
    monkeypatch.setenv("HONEST_NODE", "demo-cp-a")
    told = {}
    for _ in range(3):
        csr.round_of(Api(), "now", told)
    assert approved == ["b"] * 3
    # each refusal is said once
    assert capsys.readouterr().out.count("not approved") == 3
    assert events == ["CertificateRefused"] * 3


@pytest.mark.parametrize("status, outcome", [(409, ["b"]), (403, None)])
def test_a_request_that_another_control_plane_approved_first_does_not_hold_up_the_others(monkeypatch, status, outcome):
    good = base64.b64encode(b"good").decode()
    spec = {"signerName": csr.CLIENT, "username": "system:node:w-1", "request": good}
    listed = [{"metadata": {"name": name}, "spec": dict(spec)} for name in ("a", "b")]
    monkeypatch.setattr(csr, "parse", lambda _: {"cn": ["system:node:w-1"], "o": ["system:nodes"], "dns": [], "ips": []})
    approved = []

    class Api:
        def get(self, _path):
            return {"items": listed}

        def call(self, _method, path, body):
            if path.endswith("/a/approval"):
                raise csr.ApiError(status, "the object has been modified")
            approved.append(body["metadata"]["name"])

    if outcome is None:
        with pytest.raises(csr.ApiError):
            csr.round_of(Api(), "now", {})
        return
    csr.round_of(Api(), "now", {})
    assert approved == outcome
