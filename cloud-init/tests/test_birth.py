"""The birth of etcd: every answer that peers can give, and random orders of boots, reboots and lost disks."""

import itertools
import random

import pytest
from honest.birth import decide

UID = "u-1"


def answer(state="empty", nonce="n", members=None, quorum=False, uid=UID, number=0):
    return {"state": state, "nonce": nonce, "set": members, "quorum": quorum, "uid": uid, "number": number}


SET = {"a": "na", "b": "nb", "c": "nc"}
ME = answer(nonce="na")
EMPTY_B, EMPTY_C = answer(nonce="nb"), answer(nonce="nc")
BACK = answer(nonce="na", number=1)
BORN_B = answer("born", "nb", SET)
LIVES_B = answer("lives", "nb", SET, quorum=True)
LIVES_C = answer("lives", "nc", SET, quorum=True)


@pytest.mark.parametrize(
    "mine, peers, ticket, action",
    [
        (ME, {"b": EMPTY_B, "c": EMPTY_C}, None, "write"),
        (ME, {}, None, "write"),
        (ME, {"b": EMPTY_B, "c": None}, None, "wait"),
        (ME, {"b": EMPTY_B, "c": EMPTY_C}, "it ended", "wait"),
        (ME, {}, "it was born before", "wait"),
        # a peer wrote a set with this disk in it: agreed, ticket or not
        (ME, {"b": BORN_B, "c": None}, "it ended", "write"),
        (answer(nonce="other"), {"b": BORN_B, "c": EMPTY_C}, None, "wait"),
        # the cluster lives without this disk: ask in, never found another
        (answer(nonce="other"), {"b": LIVES_B, "c": LIVES_C}, None, "join"),
        (answer(nonce="other"), {"b": LIVES_B, "c": None}, None, "join"),
        (answer(nonce="other"), {"b": answer("lives", "nb", SET), "c": None}, None, "wait"),
        # data on peers' disks that never had a quorum and no set: nothing is known, so nothing is done
        (ME, {"b": answer("lives", "nb"), "c": EMPTY_C}, None, "wait"),
        (answer("born", "na", SET), {"b": BORN_B, "c": answer("born", "nc", SET)}, None, "start"),
        (answer("born", "na", SET), {"b": BORN_B, "c": EMPTY_C}, None, "wait"),
        (answer("born", "na", SET), {"b": BORN_B, "c": None}, None, "wait"),
        (answer("born", "na", SET), {"b": LIVES_B, "c": None}, None, "start"),
        (answer("born", "na", {"a": "na"}), {}, None, "start"),
        # the disk of c was replaced after it had answered and before anybody started
        (answer("born", "na", SET), {"b": BORN_B, "c": answer(nonce="new")}, None, "forget"),
        (answer("lives", "na", SET), {"b": None, "c": None}, "it ended", "live"),
        (ME, {"b": answer(uid="u-2"), "c": EMPTY_C}, None, "wait"),
        # a restore: disks of another number have nothing to say, living or not
        (BACK, {"b": answer(nonce="nb", number=1), "c": answer(nonce="nc", number=1)}, None, "write"),
        (BACK, {"b": answer(nonce="nb", number=1), "c": EMPTY_C}, None, "wait"),
        (BACK, {"b": answer(nonce="nb", number=1), "c": LIVES_C}, None, "wait"),
        (BACK, {"b": LIVES_B, "c": LIVES_C}, None, "wait"),
        (BACK, {"b": BORN_B, "c": BORN_B}, None, "wait"),
        (answer("born", "na", SET, number=1), {"b": LIVES_B, "c": answer("born", "nc", SET, number=1)}, None, "wait"),
        (answer("born", "na", SET, number=1), {"b": None, "c": answer("lives", "nc", SET, number=1)}, None, "start"),
        (answer(nonce="other", number=1), {"b": answer("lives", "nb", SET, True, number=1), "c": LIVES_C}, None, "join"),
        # of a later restore than this machine's: it is the past
        (BACK, {"b": answer("lives", "nb", SET, True, number=2), "c": answer(number=2)}, None, "wait"),
        # what a boot stage of before restores says
        (ME, {"b": {k: v for k, v in EMPTY_B.items() if k != "number"}, "c": EMPTY_C}, None, "write"),
    ],
)
def test_decide(mine, peers, ticket, action):
    assert decide("a", mine, peers, ticket)[0] == action


def test_write_names_every_disk():
    assert decide("a", ME, {"b": EMPTY_B, "c": EMPTY_C}, None) == ("write", SET)


def test_waiting_names_who_is_silent():
    assert "c" in decide("a", ME, {"b": EMPTY_B, "c": None}, None)[1]


def test_waiting_names_who_is_of_another_number():
    words = decide("a", BACK, {"b": LIVES_B, "c": None}, None)[1]
    assert words == "no answer from b (it is of number 0, this machine of 1), c"


def test_lost_disks_are_told_to_restore():
    action, words = decide("a", ME, {"b": EMPTY_B, "c": EMPTY_C}, "it was born before. If all its etcd disks are lost, restore")
    assert action == "wait"
    assert "restore" in words


class Machine:
    def __init__(self, name, nonce):
        self.name, self.nonce, self.set, self.started, self.up = name, nonce, None, None, False

    def answer(self):
        if not self.up:
            return None
        state = "lives" if self.started else "born" if self.set else "empty"
        return answer(state, self.nonce, self.set, self.quorum())

    def quorum(self):
        return self.started is not None and self.started["voters"] >= 2


@pytest.mark.parametrize("seed", range(300))
def test_random_orders_make_one_cluster(seed):
    """Boots, reboots and disks lost before the birth, in random order: never two clusters, and in the end one."""
    rng = random.Random(seed)
    machines = {n: Machine(n, n + "0") for n in "abc"}
    clusters = []
    fresh = itertools.count(1)

    def turn(m, ticket):
        peers = {n: p.answer() for n, p in machines.items() if n != m.name}
        action, detail = decide(m.name, m.answer(), peers, ticket)
        if action == "write":
            m.set = detail
        elif action == "forget":
            m.set = None
        elif action == "start":
            same = [c for c in clusters if c["set"] == detail]
            cluster = same[0] if same else {"set": dict(detail), "voters": 0}
            if not same:
                clusters.append(cluster)
            cluster["voters"] += 1
            m.started = cluster
        elif action == "join":
            m.started = next(p.started for p in machines.values() if p.quorum())

    for _ in range(60):
        m = rng.choice(list(machines.values()))
        event = rng.random()
        if event < 0.2:
            m.up = not m.up
        elif event < 0.25 and m.started is None and not clusters:
            # machine and disk recreated before anything was born
            m.nonce, m.set = "%s%d" % (m.name, next(fresh)), None
        elif m.up and m.started is None:
            turn(m, None)
        alive = [c for c in clusters if c["voters"] >= 2]
        assert len(alive) <= 1
    for _ in range(10):
        for m in machines.values():
            m.up = True
            if m.started is None:
                turn(m, None)
    assert len({id(m.started) for m in machines.values()}) == 1
    assert len(clusters) == 1
