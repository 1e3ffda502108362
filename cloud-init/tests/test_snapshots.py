"""When a snapshot is taken, which ones may go, and what counts as one."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import snapshots

NOON = snapshots.taken_at("20261130T120000Z")
HOURLY = {"every_seconds": 3600, "keep": 3}


@pytest.mark.parametrize(
    "good, policy, clock, tried, wanted",
    [
        ([], HOURLY, NOON, 0, True),
        ([], None, NOON, 0, False),
        ([], {}, NOON, 0, False),
        (["20261130T120000Z"], HOURLY, NOON + 3599, 0, False),
        (["20261130T120000Z"], HOURLY, NOON + 3600, 0, True),
        (["20261130T120000Z", "20261130T110000Z"], HOURLY, NOON + 100, 0, False),
        # an attempt that failed is not repeated at once
        ([], HOURLY, NOON, NOON - 10, False),
        ([], HOURLY, NOON, NOON - snapshots.RETRY_SECONDS, True),
        # the clock was ahead once: the snapshot from the future must not stop the schedule
        (["20361130T120000Z"], HOURLY, NOON, 0, True),
    ],
)
def test_due(good, policy, clock, tried, wanted):
    assert snapshots.due(good, policy, clock, tried) is wanted


@pytest.mark.parametrize(
    "good, keep, gone",
    [
        ([], 3, []),
        (["20261130T120000Z"], 0, []),
        (["20261130T120000Z", "20261130T110000Z"], 1, ["20261130T110000Z"]),
        (["20261130T120000Z", "20261129T110000Z", "20261130T110000Z"], 2, ["20261129T110000Z"]),
    ],
)
def test_the_oldest_go_and_the_last_one_never(good, keep, gone):
    assert snapshots.surplus(good, keep) == gone


@pytest.mark.parametrize(
    "good, drill, clock, wanted",
    [
        ([], None, NOON, False),
        (["20261130T120000Z"], None, NOON, True),
        (["20261130T120000Z"], {"at": NOON, "name": "20261130T120000Z"}, NOON + 90_000, False),
        (["20261130T130000Z"], {"at": NOON, "name": "20261130T120000Z"}, NOON + 3600, False),
        (["20261130T130000Z"], {"at": NOON, "name": "20261130T120000Z"}, NOON + 86400, True),
        (["20261130T130000Z"], {"at": NOON + 10**9, "name": "20261130T120000Z"}, NOON, True),
    ],
)
def test_a_restore_is_tried_daily_and_never_twice_for_one_snapshot(good, drill, clock, wanted):
    assert snapshots.drill_due(good, drill, clock, 86400) is wanted
    assert snapshots.drill_due(good, drill, clock, 0) is False
    # one that failed is not tried again at once
    assert snapshots.drill_due(good, drill, clock, 86400, clock - 10) is False


def test_members_have_turns_of_their_own():
    members = {"b": "", "a": "", "c": ""}
    offsets = [snapshots.offset_of(name, members, 3600) for name in ("a", "b", "c")]
    assert offsets == [0, 1200, 2400]
    # one that an older document does not list has a turn too
    assert snapshots.offset_of("d", members, 3600) == 2700
    due = [snapshots.due(["20261130T115000Z"], HOURLY, NOON, 0, offset) for offset in offsets]
    assert due == [True, False, False]
    assert snapshots.due(["20261130T115000Z"], HOURLY, NOON + 1200, 0, offsets[1]) is True


def put(folder, name, size=4, proof=None):
    (folder / (name + ".db")).write_bytes(b"x" * size)
    if proof is not None:
        (folder / (name + ".json")).write_text(proof if isinstance(proof, str) else json.dumps(proof))


def test_only_a_file_with_its_proof_counts(tmp_path):
    whole = {"size": 4, "node": "a", "sha256": "x", "revision": 1, "keys": 1}
    put(tmp_path, "20261130T120000Z", proof=whole)
    put(tmp_path, "20261130T130000Z")
    put(tmp_path, "20261130T140000Z", proof={**whole, "size": 5})
    put(tmp_path, "20261130T170000Z", proof={"size": 4})
    put(tmp_path, "20261130T180000Z", proof="[]")
    put(tmp_path, "20261130T150000Z", proof="{")
    put(tmp_path, "20261130T160000Z", proof={})
    put(tmp_path, "notes", proof=whole)
    assert list(snapshots.good_ones(str(tmp_path))) == ["20261130T120000Z"]
    assert snapshots.good_ones(str(tmp_path / "nowhere")) == {}


def test_a_full_disk_is_no_place_for_a_snapshot(tmp_path, monkeypatch):
    (tmp_path / "db").write_bytes(b"x" * 1000)
    monkeypatch.setattr(snapshots.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 2999})())
    with pytest.raises(snapshots.SnapshotError, match="are free on the etcd disk"):
        snapshots.room(str(tmp_path), str(tmp_path / "db"))
    monkeypatch.setattr(snapshots.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 3000})())
    snapshots.room(str(tmp_path), str(tmp_path / "db"))
