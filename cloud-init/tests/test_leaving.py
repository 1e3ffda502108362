"""What agents do when the provider asks them to take a control plane out of service or out of etcd."""

import http.client
import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import asked
import etcd
import retire


def member(name, answers=True, learner=False, id=None):
    return {"name": name, "id": id or "id-" + name, "answers": answers, "learner": learner}


def request(do="leave", name="c", id=None, machine="i-c", at="t1"):
    return {"do": do, "machine_id": machine, "member_id": id or "id-" + name, "at": at}


THREE = [member("a"), member("b"), member("c", answers=False)]


@pytest.mark.parametrize(
    "what, node, seen, requests, removed",
    [
        ("dead, asked to leave: the first who answers does it", "a", THREE, {"c": request()}, ["id-c"]),
        ("the others leave it to the first", "b", THREE, {"c": request()}, []),
        ("nobody asked", "a", THREE, {}, []),
        ("it is to be replaced, not to leave", "a", THREE, {"c": request("retire")}, []),
        ("it answers: its own agent does it", "a", [member("a"), member("b"), member("c")], {"c": request()}, []),
        ("a successor of the name has another id", "a", [*THREE[:2], member("c", answers=False, id="new")], {"c": request()}, []),
        ("the first is silent: the next speaks", "b", [member("a", answers=False), *THREE[1:], member("d")], {"c": request()}, ["id-c"]),
        ("the rest has no majority", "a", [member("a"), member("b", answers=False), THREE[2]], {"c": request()}, []),
        ("a dead learner counts for nobody", "a", [member("a"), member("c", answers=False, learner=True)], {"c": request()}, ["id-c"]),
        ("the only one never goes", "c", [member("c")], {"c": request()}, []),
        ("one at a time", "a", [member("a"), member("b"), member("e"), member("c", False), member("d", False)],
         {"d": request(name="d"), "c": request()}, ["id-c"]),
        ("it is no member", "a", THREE[:2], {"c": request()}, []),
        ("nobody answers", "a", [member("a", answers=False)], {"c": request()}, []),
    ],
)  # fmt: skip
def test_to_remove(what, node, seen, requests, removed):
    assert asked.to_remove(requests, node, seen) == removed


class Cluster:
    """The ConfigMap and what was written on Nodes."""

    def __init__(self, data=None):
        self.data, self.notes = data, []

    def get(self, path):
        assert path == asked.PATH
        return None if self.data is None else {"data": self.data}

    def note(self, node, metadata):
        self.notes.append((node, metadata["annotations"]))
        return {}


def test_requests_that_are_none():
    assert asked.read(Cluster()) == {}
    data = {"a": "no json", "b": "[]", "c": json.dumps({"do": "burn", "at": "t"}), "d": json.dumps({"do": "leave"})}
    assert asked.read(Cluster(data)) == {}
    assert asked.read(Cluster({"c": json.dumps(request())})) == {"c": request()}


def test_a_request_is_for_one_machine():
    assert asked.mine({"c": request()}, "c", "i-c") == request()
    assert asked.mine({"c": request()}, "c", "i-successor") is None
    assert asked.mine({"c": request()}, "a", "i-c") is None


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine whose programs are recorded and whose clock runs when somebody sleeps."""
    log, clock = [], [0.0]
    monkeypatch.setattr(retire, "RETIRED", str(tmp_path / "retired.json"))
    monkeypatch.setattr(retire, "program", lambda *argv, timeout=60: log.append(" ".join(argv)))
    monkeypatch.setattr(retire, "stop_components", lambda: log.append("components stopped"))
    monkeypatch.setattr(retire.os.path, "ismount", lambda path: path == retire.MOUNT and "umount " + retire.MOUNT not in log)
    monkeypatch.setattr(retire.time, "time", lambda: clock[0])
    monkeypatch.setattr(retire.time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    monkeypatch.setattr(retire.etcd, "addresses", lambda name: ["10.0.0.12"])
    monkeypatch.setattr(retire.etcd, "hand_over", lambda name: log.append("hand over"))
    monkeypatch.setattr(retire.etcd, "leave", lambda name: log.append("leave") is None)
    return log


def go(monkeypatch, cluster, wanted):
    monkeypatch.setattr(retire, "Api", lambda host, port: cluster)
    # the defaults were bound before the clock was replaced
    monkeypatch.setattr(retire.wait, "__defaults__", (retire.time.time, retire.time.sleep))
    return retire.run(wanted, "c", "i-c", 6443, lambda stage: json.dumps({"stage": stage}))


@pytest.mark.parametrize("do, first", [("retire", "hand over"), ("leave", "leave")])
def test_goes_out_of_service_in_order_and_says_so(machine, monkeypatch, do, first):
    cluster = Cluster({"c": json.dumps(request(do))})
    assert go(monkeypatch, cluster, request(do)) == "t1"
    stopped = [first, "systemctl stop kubelet", "components stopped", "systemctl stop honest-etcd", "umount " + retire.MOUNT]
    assert machine[:5] == stopped
    node, notes = cluster.notes[0]
    assert node == "c"
    assert json.loads(notes["honest-paas.dev/retired"]) == {"at": "t1", "problems": []}
    assert json.loads(notes["honest-paas.dev/status"]) == {"stage": "retired"}
    # it keeps reporting, and when nobody came for the machine it serves again
    assert len(cluster.notes) == retire.PATIENCE_SECONDS // retire.REPORT_SECONDS
    assert machine[5:] == ["systemctl restart --no-block honest-boot"]


def test_an_answer_that_breaks_off_is_no_answer(machine, monkeypatch):
    class Breaks(Cluster):
        def get(self, path):
            raise http.client.IncompleteRead(b"")

    assert go(monkeypatch, Breaks(), request("retire")) == "t1"
    assert machine[-1] == "systemctl restart --no-block honest-boot"


def test_comes_back_when_the_request_is_withdrawn(machine, monkeypatch):
    cluster = Cluster({})
    assert go(monkeypatch, cluster, request("retire")) == "t1"
    assert len(cluster.notes) == 1
    assert machine[-1] == "systemctl restart --no-block honest-boot"
    assert retire.recorded() is None


@pytest.mark.parametrize("module, step", [(retire.job, "end_all"), (retire, "stop_components")])
def test_a_step_that_hangs_is_said_and_the_others_follow(machine, monkeypatch, module, step):
    def hangs():
        raise subprocess.TimeoutExpired("what uses the disk", 10)

    monkeypatch.setattr(module, step, hangs)
    cluster = Cluster({})
    assert go(monkeypatch, cluster, request("retire")) == "t1"
    [problem] = json.loads(cluster.notes[0][1]["honest-paas.dev/retired"])["problems"]
    assert "what uses the disk" in problem
    assert [words for words in machine if "honest-etcd" in words or "umount" in words] == [
        "systemctl stop honest-etcd",
        "umount " + retire.MOUNT,
    ]


def test_what_could_not_be_done_is_said(machine, monkeypatch):
    monkeypatch.setattr(retire, "unmount", lambda: "umount: target is busy")
    cluster = Cluster({})
    go(monkeypatch, cluster, request("retire"))
    assert json.loads(cluster.notes[0][1]["honest-paas.dev/retired"])["problems"] == ["umount: target is busy"]


def test_an_agent_that_starts_anew_goes_on_waiting(machine, monkeypatch):
    retire.record({"at": "t0", "others": ["10.0.0.12"], "since": 0.0, "problems": []})
    assert go(monkeypatch, Cluster({}), None) == "t0"
    assert machine == ["systemctl restart --no-block honest-boot"]


def test_one_that_cannot_leave_now_stays_in_service(machine, monkeypatch):
    monkeypatch.setattr(retire.etcd, "leave", lambda name: False)
    assert go(monkeypatch, Cluster({}), request("leave")) is None
    assert machine == []
    assert retire.recorded() is None


def test_a_single_control_plane_has_nobody_to_tell(machine, monkeypatch):
    monkeypatch.setattr(retire.etcd, "addresses", lambda name: [])
    cluster = Cluster({"c": json.dumps(request("retire"))})
    assert go(monkeypatch, cluster, request("retire")) == "t1"
    assert cluster.notes == []


@pytest.fixture
def member_list(monkeypatch):
    """etcd of a member c of three, asked over HTTP and by etcdctl; what each call of etcdctl asked, and of whom."""
    calls = []
    names = ["a", "b", "c"]
    answers = {"remove": 0}

    def rows():
        return [{"name": n, "ID": 10 + i, "clientURLs": ["https://10.0.0.1%d:2379" % i]} for i, n in enumerate(names)]

    def ask(address, path, body):
        return {"/v3/cluster/member/list": {"members": rows()}, "/v3/maintenance/status": {"leader": "10"}}.get(path, {})

    def etcdctl(*args, endpoints="own"):
        calls.append((args[:2], endpoints))
        code = answers["remove"] if args[:2] == ("member", "remove") else 0
        if args[:2] == ("member", "remove") and answers.get("done", True):
            names.remove("c")
        return subprocess.CompletedProcess(args, code, json.dumps({"members": rows()}), "server stopped")

    monkeypatch.setattr(etcd, "ask", ask)
    monkeypatch.setattr(etcd, "etcdctl", etcdctl)
    return calls, answers


OTHERS = "https://10.0.0.10:2379,https://10.0.0.11:2379"


def test_a_member_is_taken_out_through_the_others(member_list):
    calls, _ = member_list
    assert etcd.leave("c")
    assert (("member", "remove"), OTHERS) in calls
    assert (("move-leader", "a"), "own") in calls


@pytest.mark.parametrize("done", [True, False])
def test_an_answer_that_was_lost_is_looked_for_in_the_list(member_list, done):
    _, answers = member_list
    answers.update(remove=1, done=done)
    assert etcd.leave("c") == done
