"""The API through another control plane, with the agent's own client: only the wire is a stand-in."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import api
import through


class Wire:
    """Who answers at an address, and with what status."""

    answers, asked = {}, []

    def __init__(self, host, port, _files):
        self.at = "%s:%d" % (host, port)

    def send(self, *_words):
        self.asked.append(self.at)
        if self.at not in self.answers:
            raise ConnectionRefusedError(111, "refused")
        return self.answers[self.at], json.dumps({"from": self.at}).encode()


@pytest.fixture
def one(monkeypatch):
    monkeypatch.setattr(api, "Link", Wire)
    monkeypatch.setattr(through, "ApiError", api.ApiError)
    Wire.asked = []

    def make(**answers):
        Wire.answers = {name.replace("_", ".") + ":6443": status for name, status in answers.items()}
        return through.Through(api.Api("own", 6443, "cert"), lambda: ["b", "c"], lambda host, port: api.Api(host, port, "cert"))

    return make


def test_asks_the_others_at_the_same_port_when_the_own_one_is_away(one):
    assert one(c=200).get("/x") == {"from": "c:6443"}
    assert Wire.asked == ["own:6443", "b:6443", "c:6443"]


@pytest.mark.parametrize("status", [503, 500, 401, 403])
def test_asks_the_others_when_the_own_one_cannot(one, status):
    # 403: an API server that came up without its etcd knows no roles
    assert one(own=status, b=200).get("/x") == {"from": "b:6443"}


def test_a_no_of_all_is_a_no(one):
    with pytest.raises(api.ApiError) as caught:
        one(own=403, b=403, c=403).get("/x")
    assert caught.value.status == 403
    assert Wire.asked == ["own:6443", "b:6443", "c:6443"]


def test_notes_elsewhere_without_asking_the_own_one_again(one):
    assert one(own=200, c=200).note_elsewhere(OSError("away"), "cp-a", {"k": "v"}) == {"from": "c:6443"}
    assert Wire.asked == ["b:6443", "c:6443"]
    lost = OSError("away")
    with pytest.raises(ConnectionRefusedError):
        one(own=200).note_elsewhere(lost, "cp-a", {"k": "v"})


def test_takes_a_no_for_an_answer(one):
    with pytest.raises(api.ApiError):
        one(own=409, b=200).get("/x")
    assert Wire.asked == ["own:6443"]


def test_says_why_when_nobody_answers(one):
    with pytest.raises(ConnectionRefusedError):
        one().get("/x")
