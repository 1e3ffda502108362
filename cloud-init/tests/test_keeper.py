"""The keeper's rounds against a stand-in of the API: turns, failures, events, the report."""

import json
import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import keeper
import lease
import observe
import policy
import renew

DAY, NOW = 86400, 1_800_000_000.0
DOCUMENT = {"leaf_seconds": 90 * DAY, "node": {"role": "control-plane"}, "address": "10.0.0.1", "endpoint": {"port": 6443}}


class Api:
    """Leases with versions, a policy, and the events that were written."""

    def __init__(self):
        self.lease, self.version, self.events, self.policy, self.away = None, 0, [], None, False

    def get(self, path):
        if self.away:
            raise OSError("refused")
        return self.policy if "configmaps" in path else self.lease

    def call(self, method, path, body):
        if self.away:
            raise OSError("refused")
        if "events" in path:
            self.events.append((body["reason"], body["message"]))
            return
        if self.lease and body["metadata"].get("resourceVersion") != self.lease["metadata"]["resourceVersion"]:
            raise lease.ApiError(409, "conflict")
        self.version += 1
        self.lease = dict(body, metadata=dict(body["metadata"], resourceVersion=str(self.version)))


@pytest.fixture
def machine(monkeypatch):
    """One leaf that is due; renewing it works unless `fault` says why not."""

    class Machine:
        api, fault, renewed = Api(), None, []
        leaf = observe.leaf("etcd-peer", "kit", {"ends": NOW + DAY, "life": 90 * DAY, "digest": "a", "changed": NOW - DAY})

        def round(self, at):
            self.told.read(NOW + at)
            self.keeper.round(NOW + at)

        def renew(self, name, lifetime, ca_ends):
            if self.fault:
                raise renew.RenewError(self.fault)
            self.renewed.append((name, lifetime))
            self.leaf["ends"] = NOW + lifetime

    made = Machine()
    made.renewed = []
    monkeypatch.setattr(keeper, "boot_stage_is_done", lambda: True)
    monkeypatch.setattr(renew, "renew", made.renew)
    seen = {"leaves": [made.leaf], "authorities": {}, "signing": 90 * DAY, "stale": []}
    monkeypatch.setattr(observe, "control_plane", lambda address, port: seen)
    made.told = policy.Policy(made.api)
    made.keeper = keeper.Keeper(made.api, DOCUMENT, "cp-a", made.told)
    return made


def test_takes_its_turn_renews_says_so_and_gives_the_turn_back(machine):
    machine.round(0)
    assert machine.api.lease["spec"]["holderIdentity"] == "cp-a" and machine.renewed == []
    machine.round(1)
    assert machine.renewed == [("etcd-peer", 90 * DAY)]
    assert machine.api.events == [("CertificateRenewed", "etcd-peer: it ends in 86399 s")]
    machine.round(2)
    assert machine.api.lease["spec"] == {}
    assert json.loads(machine.keeper.text)["problem"] is None
    # nothing to do: the next look is later
    machine.round(3)
    machine.leaf["ends"] = NOW
    machine.round(32)
    assert machine.api.lease["spec"] == {}
    machine.round(33)
    machine.round(34)
    assert len(machine.renewed) == 2


def test_a_failure_is_said_once_leaves_the_turn_to_others_and_is_tried_again(machine):
    machine.fault = "no space left"
    for at in range(0, 50):
        machine.round(at)
    assert machine.api.lease["spec"] == {}
    assert machine.api.events == [("CertificateTrouble", "etcd-peer: renew failed: no space left")]
    assert "etcd-peer: renew failed: no space left" in json.loads(machine.keeper.text)["problem"]
    machine.fault = None
    for at in range(50, 140):
        machine.round(at)
    assert machine.renewed == [("etcd-peer", 90 * DAY)]
    assert json.loads(machine.keeper.text)["problem"] is None


def test_what_lasts_is_said_after_a_minute_and_once_an_hour(machine):
    machine.leaf["by"] = "kubelet"
    machine.leaf["ends"] = NOW + 60
    for at in range(0, 59):
        machine.round(at)
    assert machine.api.events == [] and json.loads(machine.keeper.text)["problem"] is None
    for at in range(59, 7200):
        machine.round(at)
    assert [words for _, words in machine.api.events] == ["kubelet has not renewed etcd-peer, it ends 2027-01-15T08:01:00Z"] * 2


def test_does_nothing_while_another_renews(machine):
    machine.leaf["ends"] = NOW + 20 * DAY
    machine.api.call("POST", "leases", {"metadata": {}, "spec": {"holderIdentity": "cp-b", "renewTime": lease.micro(NOW + 30)}})
    for at in range(0, 90):
        machine.round(at)
    assert machine.renewed == []
    # it has said nothing for a minute
    for at in range(91, 95):
        machine.round(at)
    assert len(machine.renewed) == 1


def test_a_round_renews_a_row_and_begins_nothing_after_three_seconds(machine, monkeypatch):
    row = [machine.leaf] + [dict(machine.leaf, name="due-%d" % n) for n in range(5)]
    machine.renewed_at = []

    def renewed(name, lifetime, ca_ends):
        machine.renewed_at.append((round(clock[0]), name))
        clock[0] += 1
        for leaf in row:
            if leaf["name"] == name:
                leaf["ends"] = NOW + lifetime

    clock = [0.0]
    monkeypatch.setattr(keeper.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(renew, "renew", renewed)
    monkeypatch.setattr(observe, "control_plane", lambda *_: {"leaves": row, "authorities": {}, "signing": 90 * DAY, "stale": []})
    machine.round(0)
    for turn in (1, 2):
        before = len(machine.renewed_at)
        machine.round(turn * 10)
        # a report is due every 15 s, whatever there is to renew
        assert len(machine.renewed_at) - before == (4 if turn == 1 else 2)
    assert [name for _, name in machine.renewed_at] == ["etcd-peer"] + ["due-%d" % n for n in range(5)]


def test_leaves_the_files_to_the_boot_stage_until_it_is_done(machine, monkeypatch):
    monkeypatch.setattr(keeper, "boot_stage_is_done", lambda: False)
    machine.leaf["ends"] = NOW - 1
    machine.api.away = True
    for at in range(0, 200):
        machine.round(at)
    assert machine.renewed == []
    assert "etcd-peer" in json.loads(machine.keeper.text)["items"]


def test_leaves_them_again_when_the_boot_stage_works_anew(machine, monkeypatch):
    for at in range(0, 40):
        machine.round(at)
    assert len(machine.renewed) == 1
    # back into service after a retirement
    monkeypatch.setattr(keeper, "boot_stage_is_done", lambda: False)
    machine.leaf["ends"] = NOW + 60
    for at in range(40, 120):
        machine.round(at)
    assert len(machine.renewed) == 1
    monkeypatch.setattr(keeper, "boot_stage_is_done", lambda: True)
    for at in range(120, 160):
        machine.round(at)
    assert len(machine.renewed) == 2


def test_goes_alone_when_the_api_is_what_the_certificate_keeps_down(machine):
    machine.leaf["ends"] = NOW - 1
    machine.api.away = True
    machine.round(0)
    assert machine.renewed == [("etcd-peer", 90 * DAY)]


def test_a_clock_that_was_set_back_does_not_hold_it_up(machine):
    machine.round(0)
    machine.round(1)
    machine.leaf["ends"] = NOW - DAY
    machine.keeper.next_look = NOW + 10 * DAY
    machine.round(2)
    assert len(machine.renewed) == 2


def test_a_new_policy_is_followed_and_one_without_sense_is_not(machine):
    machine.leaf["ends"] = NOW + 80 * DAY
    machine.round(0)
    assert machine.api.lease is None
    machine.api.policy = {"data": {"certificates": '{"lifetime_seconds": 600, "renew_before_seconds": 700}'}}
    machine.round(31)
    assert machine.keeper.policy["lifetime"] == 90 * DAY
    machine.api.policy = {"data": {"certificates": '{"lifetime_seconds": 86400, "renew_before_seconds": 3600}'}}
    for at in range(62, 66):
        machine.round(at)
    assert machine.renewed == [("etcd-peer", DAY)]


@pytest.mark.parametrize(
    "active, sub, done",
    [("active", "exited", True), ("active", "running", False), ("activating", "auto-restart", False), ("inactive", "dead", False)],
)
def test_the_boot_stage_is_done_when_its_program_has_ended(monkeypatch, active, sub, done):
    """Its unit is "active" all the time that it works."""
    shown = "Id=honest-boot.service\nActiveState=%s\nSubState=%s\nStateChangeTimestampMonotonic=7000000\nNRestarts=2\n" % (active, sub)
    monkeypatch.setattr(keeper.probe.subprocess, "run", lambda *_, **__: types.SimpleNamespace(stdout=shown))
    assert keeper.boot_stage_is_done() is done
