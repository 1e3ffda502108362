"""One control plane at a time: the Lease, and an hour of several agents that share one."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import certificates
import lease

DAY, NOW = 86400, 1_800_000_000


def leaf(name):
    plain = {"name": name, "by": "kit", "life": 180, "ends": NOW + 180, "digest": "d", "changed": NOW, "ca_ends": NOW + 3650 * DAY}
    return {"port": False, "served": None, "component": None, "loaded": None, "foreign": False, **plain}


@pytest.mark.parametrize(
    "what, spec, expected",
    [
        ("never taken", None, {"mine": False, "holder": None}),
        ("given back", {}, {"mine": False, "holder": None}),
        ("ours", {"holderIdentity": "cp-a", "renewTime": lease.micro(NOW - 59)}, {"mine": True, "holder": None}),
        ("ours, too old", {"holderIdentity": "cp-a", "renewTime": lease.micro(NOW - 61)}, {"mine": False, "holder": None}),
        ("another's", {"holderIdentity": "cp-b", "renewTime": lease.micro(NOW - 59)}, {"mine": False, "holder": "cp-b"}),
        ("another's that died", {"holderIdentity": "cp-b", "renewTime": lease.micro(NOW - 61)}, {"mine": False, "holder": None}),
        ("written by hand", {"holderIdentity": "cp-b"}, {"mine": False, "holder": None}),
    ],
)
def test_whose_turn_it_is(what, spec, expected):
    assert lease.state(None if spec is None else {"spec": spec}, "cp-a", NOW) == expected, what


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
@pytest.mark.parametrize("now", [1_780_000_000, 1_797_000_000])
def test_a_turn_is_the_same_in_every_time_zone_summer_and_winter(monkeypatch, zone, now):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        spec = {"holderIdentity": "cp-b", "renewTime": lease.micro(now - 59)}
        assert lease.state({"spec": spec}, "cp-a", now) == {"mine": False, "holder": "cp-b"}
    finally:
        monkeypatch.undo()
        time.tzset()


class Leases:
    """The API's part of a Lease: versions tell writers apart."""

    def __init__(self):
        self.stored, self.version, self.race = None, 0, False

    def get(self, path):
        if isinstance(self.stored, Exception):
            raise self.stored
        return self.stored

    def call(self, method, path, body):
        sent = body["metadata"].get("resourceVersion")
        if self.race or (self.stored is not None and sent != self.stored["metadata"]["resourceVersion"]):
            raise lease.ApiError(409, "conflict")
        self.version += 1
        self.stored = dict(body, metadata=dict(body["metadata"], resourceVersion=str(self.version)))


def test_two_that_ask_at_once_are_told_apart():
    leases = Leases()
    a, b = lease.Lease(leases, "c", "cp-a"), lease.Lease(leases, "c", "cp-b")
    assert a.take(NOW) and not b.take(NOW + 1)
    assert b.look(NOW + 1) == {"known": True, "mine": False, "holder": "cp-a"}
    # it stays while it is renewed, is lost a minute after, and is free when it was given back
    assert a.take(NOW + 50) and not b.take(NOW + 100)
    assert b.take(NOW + 111) and not a.take(NOW + 112)
    b.free()
    assert a.look(NOW + 113) == {"known": True, "mine": False, "holder": None}
    leases.race = True
    assert not a.take(NOW + 114)


def test_a_turn_outlives_an_api_that_goes_away_but_not_its_end():
    leases = Leases()
    mine = lease.Lease(leases, "c", "cp-a")
    assert mine.take(NOW)
    leases.stored = OSError("refused")
    assert mine.look(NOW + 30) == {"known": False, "mine": True, "holder": None}
    assert mine.look(NOW + 61) == {"known": False, "mine": False, "holder": None}


def simulate(machines, seconds, policy):
    """Control planes that run next_step over a shared Lease; (renewals, most at work at once, earliest end left)."""
    leases = Leases()
    state = [{"lease": lease.Lease(leases, "c", "cp-%d" % n), "leaves": [leaf("l%d" % i) for i in range(12)]} for n in range(machines)]
    renewals, least, most = [0] * machines, 10**9, 0
    for at in range(NOW, NOW + seconds):
        working = set()
        for n, one in enumerate(state):
            if (at + 3 * n) % 6 and not one["lease"].look(at)["mine"]:
                continue
            seen = {"leaves": one["leaves"], "authorities": {}, "signing": policy["lifetime"], "stale": []}
            what = certificates.next_step(seen, policy, one["lease"].look(at), at, {}, {})
            least = min([least] + [x["ends"] - at for x in one["leaves"]])
            if what is None or what[0] == "wait":
                continue
            if what[0] == "take":
                one["lease"].take(at)
            elif what[0] == "free":
                one["lease"].free()
            else:
                working.add(n)
                one["lease"].take(at)
                for x in one["leaves"]:
                    if x["name"] == what[1]:
                        x.update(ends=at + policy["lifetime"], changed=at)
                renewals[n] += 1
        most = max(most, len(working))
    return renewals, most, least


@pytest.mark.parametrize("machines", [1, 3])
def test_an_hour_of_short_lives_keeps_everything_alive_one_at_a_time(machines):
    renewals, most, least = simulate(machines, 3600, {"lifetime": 180, "renew_before": 60})
    assert most == 1
    assert least > 0
    # an hour of three-minute lives, renewed at two minutes: thirty times twelve, less what waited its turn
    assert all(count > 12 * 20 for count in renewals)
