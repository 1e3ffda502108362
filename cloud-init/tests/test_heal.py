"""The healer's looks on a machine of stand-ins: turns, refusals, events that wait for the API, what the Node says."""

import sys
from pathlib import Path

import documents
import pytest
from healing_machine import ME, NOW, Machine

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import heal
import lease
import nospace
import policy
import through
from api import ApiError


@pytest.fixture
def machine(monkeypatch, tmp_path):
    return Machine(monkeypatch, tmp_path, documents.control_plane())


@pytest.fixture
def worker(monkeypatch, tmp_path):
    return Machine(monkeypatch, tmp_path, documents.worker())


def test_what_was_stopped_is_started_under_the_lease_and_said(machine):
    machine.looks(1)
    machine.stop("kubelet")
    said = machine.looks(3)
    assert machine.mended == [("start", "kubelet")] and machine.api.lease["spec"]["holderIdentity"] == ME
    assert said["problems"] == ["kubelet is stopped"]
    said = machine.looks(2)
    assert machine.api.lease["spec"] == {} and said["problems"] == []
    assert [entry["what"] for entry in said["healed"]] == ["kubelet was stopped for 20 s: started again (try 1)", "kubelet works again"]
    assert machine.api.events == [
        ("Normal", "Healing", "kubelet was stopped for 20 s: started again (try 1)"),
        ("Warning", "Unwell", "kubelet is stopped"),
        ("Normal", "Healed", "kubelet works again"),
    ]


def test_a_worker_needs_no_lease(worker):
    worker.stop("containerd")
    worker.looks(4)
    assert worker.mended == [("start", "containerd")] and worker.api.lease is None


@pytest.mark.parametrize("wish", ['{"enabled": false}'])
def test_with_self_heal_off_it_is_only_said(machine, wish):
    machine.api.policy = {"data": {"self_heal": wish}}
    machine.stop("kubelet")
    said = machine.looks(30)
    assert machine.mended == [] and said["self_heal"] is False
    assert said["problems"] == ["kubelet is stopped", "kubelet is not mended: self_heal is off"]
    # once, not at each look
    assert [words for _, _, words in machine.api.events] == said["problems"]


def test_the_wish_outlives_the_agent_and_the_api(machine, monkeypatch, tmp_path):
    machine.api.policy = {"data": {"self_heal": '{"enabled": false}'}}
    machine.looks(1)
    machine.api.away = True
    next_one = heal.Healer(machine.api, documents.control_plane(), ME, policy.Policy(machine.api), machine.healer.wish_file)
    assert next_one.wanted() is False
    # nobody ever said anything: it mends
    assert heal.Healer(machine.api, documents.control_plane(), ME, policy.Policy(machine.api), str(tmp_path / "none")).wanted() is True


def test_a_machine_in_maintenance_is_left_alone_until_it_is_over(machine):
    machine.api.annotations = {heal.MAINTENANCE: "new memory, Ann"}
    machine.stop("kubelet")
    said = machine.looks(10)
    assert machine.mended == [] and said["maintenance"] == "new memory, Ann"
    # also while nobody can be asked
    machine.api.away = True
    machine.looks(10)
    assert machine.mended == []
    machine.api.away, machine.api.annotations = False, {}
    said = machine.looks(3)
    assert machine.mended == [("start", "kubelet")] and said["maintenance"] is None


def test_nothing_is_judged_while_the_boot_stage_works_or_the_machine_is_retired(machine):
    machine.boot = {"active": "active", "sub": "running"}
    machine.stop("kubelet")
    machine.looks(10)
    machine.boot = {"active": "active", "sub": "exited"}
    machine.retired.write_text("{}")
    machine.looks(10)
    assert machine.mended == [] and machine.api.events == []
    machine.retired.unlink()
    machine.looks(3)
    assert machine.mended == [("start", "kubelet")]


def test_retired_in_the_middle_of_a_look(machine, monkeypatch):
    machine.stop("kubelet")
    machine.looks(2)
    take = machine.healer.turn
    monkeypatch.setattr(machine.healer, "turn", lambda now: machine.retired.write_text("{}") and take(now))
    machine.looks(1)
    assert machine.mended == []


def test_another_ones_turn_is_waited_for(machine):
    machine.stop("honest-etcd")
    for _ in range(6):
        spec = {
            "holderIdentity": "demo-cp-b",
            "renewTime": lease.micro(NOW + machine.at),
        }
        machine.api.lease = {"metadata": {"resourceVersion": "1", "name": "x"}, "spec": spec}
        said = machine.looks(1)
    assert machine.mended == [] and "etcd is not mended: demo-cp-b is mended now" in said["problems"]
    machine.api.lease = None
    machine.looks(1)
    assert machine.mended == [("start", "honest-etcd")]


def test_without_an_api_what_is_down_is_started_all_the_same_and_said_later(machine):
    machine.api.away = True
    machine.stop("honest-etcd")
    machine.looks(5)
    assert machine.mended == [("start", "honest-etcd")] and machine.api.events == []
    machine.api.away = False
    machine.looks(1)
    assert [reason for _, reason, _ in machine.api.events] == ["Healing", "Unwell", "Healed"]


@pytest.mark.parametrize("others, ended", [([True, True], True), ([True, False], False), ([], True)])
def test_etcd_that_hangs_is_ended_only_beside_a_majority(machine, others, ended):
    machine.others = others
    machine.hang("honest-etcd")
    said = machine.looks(8)
    assert machine.mended == ([("end", "honest-etcd")] if ended else [])
    assert ended or "etcd is not mended: the majority would be lost with it: 1 of 2 others answer" in said["problems"]


@pytest.mark.parametrize(
    "action, run",
    [("start", ["reset-failed kubelet", "start --no-block kubelet"]), ("end", ["kill --kill-who=main --signal=SIGKILL kubelet"])],
)
def test_how_a_part_is_mended(monkeypatch, action, run):
    asked, why = [], []
    monkeypatch.setattr(heal.retire, "program", lambda *argv: asked.append(" ".join(argv[1:])) or "".join(why))
    heal.mend(action, "kubelet")
    assert asked == run
    why.append("systemctl ended with 1")
    with pytest.raises(OSError, match="ended with 1"):
        heal.mend(action, "kubelet")


def test_others_are_asked_as_for_the_report(machine, monkeypatch):
    monkeypatch.undo()
    machine.healer.voters = ["10.0.0.12", "10.0.0.13"]
    monkeypatch.setattr(heal.etcd, "answers", lambda address: address == "10.0.0.12")
    assert machine.healer.others() == [True, False]


def test_mending_that_fails_is_tried_again_later(machine, monkeypatch):
    def fails(*_):
        machine.mended.append("failed")
        raise OSError("systemctl ended with 1")

    monkeypatch.setattr(heal, "mend", fails)
    machine.stop("kubelet")
    for _ in range(12):
        machine.healer.thread = None
        machine.told.read(NOW + machine.at)
        machine.healer.beside(NOW + machine.at)
        machine.at += 10
    assert machine.mended == ["failed"] * 3 and machine.healer.fault is None


def test_a_fault_of_the_agent_ends_it(machine, monkeypatch):
    monkeypatch.setattr(heal.probe, "parts", lambda _: (True, None))
    machine.healer.beside(NOW)
    with pytest.raises(AttributeError):
        machine.healer.round(NOW)


def test_full_disks_are_said(machine):
    machine.disks = [{"path": "/", "size": 8 << 30, "free": 100 << 20, "files": 0, "files_free": 0}]
    said = machine.looks(1)
    assert said["problems"] == ["the disk of / is nearly full: less than 5 % or 256 MiB of its 8192 MiB are free"]
    machine.disks = []
    assert machine.looks(7)["problems"] == []


def test_a_component_that_stays_silent_is_said_and_not_one_that_starts_anew(machine, monkeypatch):
    silent = []
    monkeypatch.setattr(heal.probe, "static_pods", lambda *_: list(silent))
    machine.looks(1)
    silent.append("kube-apiserver")
    assert machine.looks(7)["problems"] == []
    assert machine.looks(6)["problems"] == ["kube-apiserver does not answer; kubelet starts it again"]
    silent.clear()
    assert machine.looks(7)["problems"] == []


def test_etcd_without_space_is_mended_by_one_step_a_look(machine, monkeypatch):
    steps = []

    def act(step, members, me):
        steps.append(step[0])
        if step[0] == "disarm":
            machine.alarm, machine.api.full = False, False
        for m in members:
            if step[0] == "shrink" and m["name"] == step[1]:
                m["size"] = 10
        return step[0]

    members = [
        {"name": n, "answers": True, "learner": False, "leader": n == ME, "size": 100, "used": 10, "quota": 100} for n in (ME, "demo-cp-b")
    ]
    monkeypatch.setattr(nospace, "look", lambda: members)
    monkeypatch.setattr(nospace, "act", act)
    machine.alarm, machine.api.full = True, True
    said = machine.looks(1)
    assert said["problems"] == ["etcd takes no more data (NOSPACE)"] and machine.api.events == []
    said = machine.looks(4)
    assert steps == ["compact", "shrink", "shrink", "disarm"] and said["problems"] == []
    # what could not be written then is written now
    assert [reason for _, reason, _ in machine.api.events] == ["Healing", "Unwell", "Healing", "Healing", "Healed"]


def test_etcd_without_space_is_mended_also_by_whoever_has_the_turn_to_mend(machine, monkeypatch):
    machine.stop("kubelet")
    machine.looks(3)
    assert machine.mended == [("start", "kubelet")] and machine.api.lease["spec"]["holderIdentity"] == ME
    steps, member = [], {"name": ME, "answers": True, "learner": False, "leader": True, "size": 100, "used": 10, "quota": 100}
    monkeypatch.setattr(nospace, "look", lambda: [member])
    monkeypatch.setattr(nospace, "act", lambda step, *_: steps.append(step[0]) or step[0])
    # the Lease cannot be written either, neither to stay on it nor to give it back
    machine.alarm, machine.api.full = True, True
    machine.looks(1)
    assert steps == ["compact"]


@pytest.mark.parametrize(
    "first, answers, why",
    [
        ("demo-cp-0", True, "the first control plane of those that answer does it"),
        (ME, False, "demo-cp-b does not answer: nobody is made smaller beside it"),
    ],
)
def test_why_etcd_without_space_is_not_mended_now_is_said(machine, monkeypatch, first, answers, why):
    other = {"name": "demo-cp-b" if first == ME else first, "answers": answers, "learner": False, "leader": False}
    members = [{**other, "name": ME, "answers": True}, other]
    monkeypatch.setattr(nospace, "look", lambda: [{**m, "size": 100, "used": 10, "quota": 100} for m in members])
    machine.alarm = True
    assert machine.looks(1)["problems"] == ["etcd takes no more data (NOSPACE); it is not mended here now: " + why]


def test_etcd_without_space_is_only_said_with_self_heal_off(machine, monkeypatch):
    monkeypatch.setattr(nospace, "look", lambda: pytest.fail("nobody asked"))
    machine.api.policy = {"data": {"self_heal": '{"enabled": false}'}}
    machine.alarm = True
    assert machine.looks(3)["problems"] == ["etcd takes no more data (NOSPACE); it is not mended: self_heal is off"]


class Server:
    def __init__(self, answer):
        self.answer, self.port, self.asked = answer, 6443, 0

    def call(self, *_):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "own, other, answer",
    [
        ("own", "other", "own"),
        (OSError("refused"), "other", "other"),
        (ApiError(500, "etcd"), "other", "other"),
        # an answer is an answer
        (ApiError(409, "conflict"), "other", 409),
        (OSError("refused"), ApiError(403, "no"), 403),
        (OSError("refused"), ApiError(503, "etcd"), 503),
    ],
)
def test_whichever_control_plane_answers(own, other, answer):
    second = Server(other)
    api = through.Through(Server(own), lambda: ["10.0.0.12"], lambda _address, _port: second)
    if isinstance(answer, str):
        assert api.get("/x") == answer
        return
    with pytest.raises(ApiError) as caught:
        api.get("/x")
    assert caught.value.status == answer


class Elsewhere:
    """Another control plane's API server."""

    written, fault = [], None

    def __init__(self, address, port):
        self.at = "%s:%d" % (address, port)

    def call(self, method, path, body=None, _kind=None):
        if self.fault:
            raise self.fault
        self.written.append((self.at, method, path, body))
        return {}


@pytest.fixture
def elsewhere(machine, monkeypatch):
    monkeypatch.setattr(Elsewhere, "written", [])
    machine.healer.api.addresses, machine.healer.api.make = lambda: ["10.0.0.12"], Elsewhere
    return machine


def test_what_is_not_well_is_told_through_another_api_server_when_the_own_one_is_away(elsewhere):
    elsewhere.healer.say_elsewhere(OSError("refused"))
    assert Elsewhere.written == []  # nothing has been looked at yet
    elsewhere.stop("kubelet")
    elsewhere.looks(1)
    elsewhere.healer.say_elsewhere(OSError("refused"))
    assert Elsewhere.written == [
        ("10.0.0.12:6443", "PATCH", "/api/v1/nodes/" + ME, {"metadata": {"annotations": {heal.HEALTH: elsewhere.healer.text}}})
    ]


def test_when_nobody_takes_it_that_is_said_and_nothing_ends(elsewhere, monkeypatch, capsys):
    elsewhere.looks(1)
    monkeypatch.setattr(Elsewhere, "fault", OSError("no route"))
    elsewhere.healer.say_elsewhere(OSError("refused"))
    assert "nor is this machine's health told elsewhere: OSError: no route" in capsys.readouterr().out


def test_a_worker_has_no_api_server_of_its_own_and_no_other_way(worker):
    worker.looks(1)
    worker.healer.say_elsewhere(OSError("refused"))
