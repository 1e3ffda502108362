"""The agent's measurement of the API: steady, kept over restarts, seldom on the disk."""

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import availability

NOW = 1_800_057_600.0


@pytest.fixture
def node(monkeypatch, tmp_path):
    """A node whose API is as `answers` says; the thread is not started, the test makes its steps."""

    class Node:
        why, told, writes = None, [], 0
        file = tmp_path / "availability.json"

        def start(self):
            self.measured = availability.Availability(lambda: self.why, self.told.append)
            self.measured.thread = self
            return self.measured

        def is_alive(self):
            return True

        def runs(self, begin, seconds, why=None):
            self.why = why
            for at in range(begin, begin + seconds, availability.PACE):
                self.measured.once(NOW + at)
                self.measured.round(NOW + at)

        def said(self):
            return json.loads(self.measured.notes()["honest-paas.dev/availability"])

    made = Node()
    made.told = []
    rename = os.rename

    def counted(*paths):
        made.writes += 1
        rename(*paths)

    monkeypatch.setattr(availability.os, "rename", counted)
    monkeypatch.setattr(availability, "FILE", str(made.file))
    made.start()
    return made


def test_nothing_is_said_before_the_first_probe(node):
    assert node.measured.notes() == {}


def test_what_was_counted(node):
    node.runs(0, 60)
    node.runs(60, 30, "TimeoutError: timed out")
    node.runs(90, 30)
    said = node.said()
    assert said["day"] == {"probes": 24, "failed": 6, "longest_gap": 30, "since": "2027-01-16T00:00:00Z"}
    assert said["month"] == said["day"]
    assert said["down_since"] is None
    assert said["last_failure"] == {"at": "2027-01-16T00:01:25Z", "why": "TimeoutError: timed out"}
    assert (said["at"], said["pace"]) == ("2027-01-16T00:01:55Z", 5)


def test_says_since_when_it_is_away(node):
    node.runs(0, 60)
    node.runs(60, 30, "HTTP 500: etcd failed")
    assert node.said()["down_since"] == "2027-01-16T00:01:00Z"
    assert node.told[0] == {"down": None, "why": None}
    assert node.told[-1] == {"down": NOW + 60, "why": "HTTP 500: etcd failed"}


def test_an_agent_that_starts_again_goes_on_counting(node):
    node.runs(0, 600)
    node.measured.save(NOW + 600)
    node.start()
    node.runs(620, 60, "refused")
    assert node.said()["day"]["probes"] == 120 + 12
    assert node.said()["day"]["failed"] == 12


def test_the_disk_is_written_every_five_minutes_and_soon_after_a_change(node):
    node.runs(0, 3600)
    assert 11 <= node.writes <= 13
    before = node.writes
    # up and down all the time: once a minute at most
    for at in range(3600, 3900, 10):
        node.runs(at, 5, "refused")
        node.runs(at + 5, 5)
    assert node.writes - before <= 6


@pytest.mark.parametrize("text", ["", "{", "[]", '{"hours": {"1": [0, 5, 0]}, "days": {}}'])
def test_a_file_that_was_cut_is_said_and_begun_anew(node, capsys, text):
    node.file.write_text(text)
    node.start()
    assert "begin anew" in capsys.readouterr().out
    node.runs(0, 10)
    assert node.said()["day"]["probes"] == 2


@pytest.mark.parametrize(
    "text, words",
    [
        ("[+]ping ok\n[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld\n", "etcd, etcd-readiness failed"),
        ("apiserver is\n shutting down", "apiserver is shutting down"),
        ("x" * 500, "x" * 100),
        ("", ""),
    ],
)
def test_what_readyz_has_against_it(text, words):
    assert availability.failing(text) == words
