"""Counts of probes: what is counted where, what a gap is, what is unknown."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import buckets

# an hour and a day begin here
DAWN = 1_800_057_600
PACE = 5


def run(probes, state=None):
    """probes: [(seconds after dawn, good)]."""
    state = state or buckets.fresh()
    for at, good in probes:
        buckets.add(state, DAWN + at, good, PACE)
    return state


def steady(begin, end, good=True):
    return [(at, good) for at in range(begin, end, PACE)]


@pytest.mark.parametrize(
    "what, probes, day",
    [
        ("all good", steady(0, 600), (120, 0, 0)),
        ("one failed", steady(0, 100) + [(100, False)] + steady(105, 200), (40, 1, 5)),
        ("away for a minute", steady(0, 60) + steady(60, 120, False) + steady(120, 180), (36, 12, 60)),
        ("two gaps: the longer one", steady(0, 60, False) + steady(60, 90) + steady(90, 105, False) + [(105, True)], (22, 15, 60)),
        ("still away", steady(0, 10) + steady(10, 40, False), (8, 6, 25)),
        # the machine was off for an hour in the middle of an outage: that hour is unknown
        ("off in between", steady(0, 30, False) + steady(3600, 3630, False) + [(3630, True)], (13, 12, 30)),
        ("off and good before and after", steady(0, 30) + steady(7200, 7230), (12, 0, 0)),
        ("the clock was set back", [(600, False), (0, True)], (2, 1, 0)),
    ],
)
def test_what_a_day_says(what, probes, day):
    said = buckets.total(run(probes), "hours", DAWN + probes[-1][0])
    assert (said["probes"], said["failed"], said["longest_gap"]) == day
    assert said["since"] == DAWN


def test_begins_with_the_first_probe_and_not_with_its_hour():
    state = run(steady(1800, 1900))
    assert buckets.total(state, "hours", DAWN + 1900)["since"] == DAWN + 1800
    run(steady(90000, 90100), state)
    assert buckets.total(state, "hours", DAWN + 90100)["since"] == DAWN + 90000
    assert buckets.total(state, "days", DAWN + 90100)["since"] == DAWN + 1800


def test_a_gap_over_midnight_counts_in_both_hours_and_days():
    state = run(steady(-60, 60, False) + [(60, True)])
    assert state["hours"] == {str(DAWN // 3600 - 1): [12, 12, 55], str(DAWN // 3600): [13, 12, 120]}
    assert state["days"] == {str(DAWN // 86400 - 1): [12, 12, 55], str(DAWN // 86400): [13, 12, 120]}


def test_what_is_older_than_a_day_and_a_month_is_forgotten():
    state = run([(0, False), (5, True)])
    run([(hour * 3600, True) for hour in range(1, 24 * 40)], state)
    assert len(state["hours"]) == 24 and len(state["days"]) == 31
    assert buckets.total(state, "hours", DAWN + 40 * 86400 - 3600)["failed"] == 0


def test_who_has_been_silent_says_nothing_of_the_time_since():
    state = run(steady(0, 60, False))
    assert buckets.total(state, "hours", DAWN + 86400 * 3) == {"probes": 0, "failed": 0, "longest_gap": 0, "since": None}
    assert buckets.total(state, "days", DAWN + 86400 * 3)["failed"] == 12


def test_a_file_is_taken_as_it_was_written():
    state = run(steady(0, 60, False))
    assert buckets.checked(state) == state


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"hours": {}},
        {"hours": {"x": [1, 0, 0]}, "days": {}},
        {"hours": {"1": [1, 2, 0]}, "days": {}},
        {"hours": {"1": [1, 0]}, "days": {}},
        {"hours": {"1": [1, -1, 0]}, "days": {}},
        {"hours": {"1": [True, False, 0]}, "days": {}},
    ],
)
def test_a_file_that_is_none_is_refused(data):
    with pytest.raises(ValueError):
        buckets.checked(data)
