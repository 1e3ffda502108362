"""etcd without space: who mends it, in which order, and when it is given up. Members shrink as etcd's do."""

import json
import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import nospace

MIB = 1 << 20
LISTED = {"a": ["https://10.0.0.1:2379"], "b": ["https://10.0.0.2:2379"], "": []}


def member(name, size=100, used=100, learner=False):
    plain = {"name": name, "answers": True, "learner": learner, "leader": name == "a"}
    return {**plain, "size": size * MIB, "used": used * MIB, "quota": 100 * MIB}


def silent(name):
    return {**member(name), "answers": False, "size": None}


def nothing():
    return {"compacted": None, "shrunk": []}


@pytest.mark.parametrize(
    "what, members, me, done, step",
    [
        ("one actor", [member("a"), member("b")], "b", nothing(), "wait"),
        ("it may be the second", [silent("a"), member("b")], "b", nothing(), "wait"),
        ("a new member is no actor", [member("a", learner=True), member("b")], "b", nothing(), "compact"),
        ("history first", [member("a"), member("b")], "a", nothing(), "compact"),
        ("not beside a dead one", [member("a"), silent("b")], "a", {"compacted": 1000, "shrunk": []}, "wait"),
        ("nor beside a nameless one", [member("a"), silent("")], "a", nothing(), "wait"),
        ("small again", [member("a", 50, 40), member("b", 50, 40)], "a", {"compacted": 1000, "shrunk": ["a", "b"]}, "disarm"),
        ("was small all the time", [member("a", 50, 40)], "a", nothing(), "disarm"),
        ("all of it in use", [member("a"), member("b")], "a", {"compacted": 0, "shrunk": []}, "full"),
    ],
)
def test_next_step(what, members, me, done, step):
    assert nospace.next_step(members, me, done)[0] == step, what


def play(members, used_after):
    """Does what is said until it ends; used_after: {revisions that stay: MiB in use}."""
    done, row = nothing(), []
    for _ in range(20):
        action, what = nospace.next_step(members, "a", done)
        row.append((action, what) if action in ("compact", "shrink") else (action,))
        if action == "compact":
            done = {"compacted": what, "shrunk": []}
            for m in members:
                m["used"] = min(m["used"], used_after[what] * MIB)
        elif action == "shrink":
            done["shrunk"].append(what)
            for m in members:
                if m["name"] == what:
                    m["size"] = m["used"]
        else:
            return row
    raise AssertionError("it does not end: %s" % row)


def test_members_are_made_smaller_one_after_another_the_leader_last():
    row = play([member("a"), member("b"), member("c")], {1000: 30})
    assert row == [("compact", 1000), ("shrink", "b"), ("shrink", "c"), ("shrink", "a"), ("disarm",)]


def test_the_rest_of_the_history_goes_when_that_was_not_enough():
    row = play([member("a"), member("b")], {1000: 99, 0: 20})
    assert row == [("compact", 1000), ("compact", 0), ("shrink", "b"), ("shrink", "a"), ("disarm",)]


def test_what_is_in_use_is_no_history():
    assert play([member("a"), member("b")], {1000: 99, 0: 99}) == [("compact", 1000), ("compact", 0), ("full",)]
    words = nospace.next_step([member("a", 100, 95)], "a", {"compacted": 0, "shrunk": ["a"]})[1]
    assert words == "etcd is full: a holds 95 MiB that are in use, its quota is 100 MiB. Delete objects, or raise etcd.quota-backend-bytes"


def test_each_member_is_asked_where_it_is_how_large_it_is(monkeypatch):
    def etcdctl(*words, endpoints):
        assert words == ("endpoint", "status")
        if endpoints != "https://10.0.0.2:2379":
            return types.SimpleNamespace(returncode=1)
        status = {"dbSize": 9, "dbSizeInUse": 4, "header": {"revision": 7}}
        return types.SimpleNamespace(returncode=0, stdout=json.dumps([{"Status": status}]))

    # ids above 2^53, as etcd's are
    known = [{"ID": str(2**63 + n), "name": name, "clientURLs": urls} for n, (name, urls) in enumerate(LISTED.items())]
    seen = [{"name": m["name"], "id": "%x" % int(m["ID"]), "learner": False, "answers": False, "leader": False} for m in known]
    monkeypatch.setattr(nospace.etcd, "listed", lambda: known)
    monkeypatch.setattr(nospace.etcd, "members", lambda: seen)
    monkeypatch.setattr(nospace.etcd, "etcdctl", etcdctl)
    found = {m["name"]: (m["url"], m["answers"], m["size"], m["used"], m["quota"]) for m in nospace.look()}
    assert found == {
        "a": ("https://10.0.0.1:2379", False, None, None, None),
        "b": ("https://10.0.0.2:2379", True, 9, 4, 2048 * MIB),
        "": (None, False, None, None, None),
    }


@pytest.mark.parametrize("silent_one", ["listed", "members"])
def test_a_local_member_that_cannot_say_is_no_reason_to_do_anything(monkeypatch, silent_one):
    for name in ("listed", "members"):
        monkeypatch.setattr(nospace.etcd, name, lambda name=name: None if name == silent_one else [])
    assert nospace.look() is None
