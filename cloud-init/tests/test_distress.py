"""What a machine says on its console while it cannot reach the API."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import distress

NOW = 1_800_057_600.0


@pytest.fixture
def machine(monkeypatch):
    class Machine:
        lines, now, found = [], NOW, [("etcd", "failed"), ("disk etcd", "100%")]

        def probes(self, seconds, down, why="refused"):
            for _ in range(0, seconds, 5):
                self.said.told({"down": down, "why": None if down is None else why})
                if self.said.thread is not None:
                    self.said.thread.join()
                self.now += 5

    made = Machine()
    made.lines, made.said = [], distress.Distress(True)
    monkeypatch.setattr(distress, "seen", lambda control_plane: made.found)
    monkeypatch.setattr(distress, "console", made.lines.append)
    monkeypatch.setattr(distress.time, "time", lambda: made.now)
    return made


LINE = "honest: distress: api=does not answer since 2027-01-16T00:00:00Z (refused); etcd=failed; disk etcd=100%; clock=2027-01-16T00:00:30Z"


def test_a_short_silence_is_nothing(machine):
    machine.probes(30, NOW)
    machine.probes(30, None)
    assert machine.lines == []


def test_says_what_it_sees_once_and_that_it_is_over(machine):
    machine.probes(300, NOW)
    assert machine.lines == [LINE]
    machine.probes(30, None)
    assert machine.lines[1:] == ["honest: distress: over; api=answers; clock=2027-01-16T00:05:00Z"]


def test_says_what_is_new_and_repeats_the_rest_every_ten_minutes(machine):
    machine.probes(60, NOW)
    machine.found = [("etcd", "active, no answer")]
    machine.probes(60, NOW)
    assert len(machine.lines) == 2
    machine.probes(1300, NOW)
    assert len(machine.lines) == 4


def test_how_full_a_file_system_is(tmp_path):
    assert 0 <= distress.full(tmp_path) <= 100
    assert distress.full(tmp_path / "none") is None


@pytest.mark.parametrize(
    "unit, members, words",
    [
        ("failed", None, "failed"),
        ("active", None, "active, no answer"),
        ("active", [{"answers": True}, {"answers": False}, {"answers": False}], "active, 1 of 3 members answer"),
    ],
)
def test_etcd_in_words(monkeypatch, unit, members, words):
    monkeypatch.setattr(distress, "unit", lambda name: unit)
    monkeypatch.setattr(distress.etcd, "members", lambda: members)
    assert distress.etcd_words() == words


@pytest.mark.parametrize(
    "control_plane, ended, words",
    [
        (True, [], "valid"),
        (True, ["etcd/peer.crt", "/apiserver.crt"], "ended: apiserver, etcd-peer"),
        (False, ["kubelet-client-current.pem"], "ended: kubelet-client"),
        # not its own: a worker has no such files
        (False, ["etcd/peer.crt"], "valid"),
    ],
)
def test_certificates_in_words(monkeypatch, control_plane, ended, words):
    def on_disk(path):
        return {"ends": NOW - 1 if path.endswith(tuple(ended)) else None if "super" in path else NOW + 1}

    monkeypatch.setattr(distress.observe, "on_disk", on_disk)
    assert distress.certificate_words(control_plane, NOW) == words
