"""What is mended next, as a table of what was seen over time; what is only said; when a silent member of etcd is ended."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import health

NOW = 1_800_000_000


def part(active="active", sub="running", answers=True, seconds=9000.0, restarts=0):
    return {"active": active, "sub": sub, "answers": answers if active == "active" else None, "seconds": seconds, "restarts": restarts}


WELL, STOPPED, FAILED = part(), part("inactive", "dead"), part("failed", "failed")
HANGS, STARTS = part(answers=False), part("activating", "start")


def watch(looks, name="kubelet", tries=True):
    """Looks every ten seconds: [(second, step)] of what was to be done, and the course at the end."""
    course, steps = {}, []
    for n, seen in enumerate(looks):
        now = NOW + 10 * n
        course = health.follow(course, {"containerd": WELL, name: seen} if name != "containerd" else {name: seen}, now)
        step = health.next_step(course, now)
        if step:
            steps.append((10 * n, step[0]))
            if tries:
                course = health.tried(course, step[1], now)
    return steps, course


@pytest.mark.parametrize(
    "what, looks, steps",
    [
        ("all is well", [WELL] * 20, []),
        ("stopped", [WELL] + [STOPPED] * 4, [(30, "start")]),
        ("given up by systemd", [FAILED] * 3, [(20, "start")]),
        ("restarted by somebody", [WELL, STOPPED, STOPPED, WELL, STOPPED, STOPPED, WELL], []),
        ("being stopped", [part("deactivating", "stop")] * 20, []),
        ("runs and does not answer", [WELL] + [HANGS] * 6, [(50, "end")]),
        ("a moment of silence", [HANGS] * 4 + [WELL, HANGS, WELL] + [HANGS] * 4, []),
        ("just started", [WELL] + [part(answers=False, seconds=10.0 * n) for n in range(1, 5)], []),
        ("just started, and too long silent", [WELL] + [part(answers=False, seconds=10.0 * n) for n in range(1, 6)], [(50, "end")]),
        ("systemd starts it again and again", [part("activating", "auto-restart")] * 30, []),
        ("met alive between two ends", [part(restarts=5 * n) for n in range(30)], []),
        ("waits for a quorum", [STARTS] * 60, []),
        # pauses double: 30, 60, 120 seconds
        ("does not stay", [STOPPED] * 40, [(20, "start"), (50, "start"), (110, "start"), (230, "start")]),
        # well for long: the next time begins with the shortest pause
        ("long ago", [STOPPED] * 6 + [WELL] * 62 + [STOPPED] * 6, [(20, "start"), (50, "start"), (700, "start"), (730, "start")]),
        ("not long ago", [STOPPED] * 6 + [WELL] * 8 + [STOPPED] * 6, [(20, "start"), (50, "start"), (160, "start")]),
    ],
)
def test_what_is_mended(what, looks, steps):
    assert watch(looks)[0] == steps, what


def test_pauses_end_at_half_an_hour():
    assert [health.pause(n) for n in (0, 1, 2, 6, 7, 100)] == [0, 30, 60, 960, 1800, 1800]


def test_one_at_a_time_containerd_before_kubelet_and_etcd_first():
    parts = {"kubelet": STOPPED, "containerd": STOPPED, "honest-etcd": STOPPED}
    course = health.follow({}, parts, NOW)
    steps = []
    for at in (20, 30, 40):
        step = health.next_step(course, NOW + at)
        steps.append(step)
        if step:
            course = health.tried(course, step[1], NOW + at)
    # without containerd nobody knows what kubelet would do
    assert steps == [("start", "honest-etcd"), ("start", "containerd"), None]
    course = health.follow(course, {**parts, "containerd": WELL}, NOW + 50)
    assert health.next_step(course, NOW + 50) == ("start", "honest-etcd")
    course = health.follow(course, {**parts, "containerd": WELL, "honest-etcd": WELL}, NOW + 60)
    assert health.next_step(course, NOW + 60) == ("start", "kubelet")


def test_a_clock_that_was_set_back_holds_nobody_up():
    course = health.tried(health.follow({}, {"kubelet": STOPPED}, NOW), "kubelet", NOW + 3600)
    course = health.follow(course, {"kubelet": STOPPED}, NOW - 7200)
    assert health.next_step(course, NOW - 7200 + 30) == ("start", "kubelet")


def test_who_was_mended():
    before, course = watch([STOPPED] * 3)[1], None
    course = health.follow(before, {"kubelet": part(restarts=1)}, NOW + 30)
    # systemd's own start of what we ended is no well-being yet
    assert health.mended(before, course) == [] and health.mending(course, NOW + 30)
    assert not health.mending(course, NOW + 120)
    after = health.follow(course, {"kubelet": part(restarts=1)}, NOW + 40)
    assert health.mended(course, after) == ["kubelet"] and not health.mending(after, NOW + 40)
    # the next time it is back before anybody did anything
    again = health.follow(after, {"kubelet": STOPPED}, NOW + 100)
    assert health.mended(again, health.follow(again, {"kubelet": WELL}, NOW + 110)) == []


@pytest.mark.parametrize(
    "what, others, hangs_for, ended",
    [
        ("alone", [], 40, True),
        ("the others are a majority", [True, True], 40, True),
        ("of five", [True, True, True, False], 40, True),
        ("its vote may be what the majority rests on", [True, False], 4000, False),
        ("of five, two silent", [True, True, False, False], 4000, False),
        ("nobody answers yet", [False, False], 179, False),
        ("nobody answers", [False, False], 180, True),
    ],
)
def test_when_a_silent_member_is_ended(what, others, hangs_for, ended):
    assert (health.may_end_etcd(others, hangs_for) is None) is ended, what


@pytest.mark.parametrize(
    "what, looks, said",
    [
        ("well", [WELL] * 10, []),
        ("for a moment", [STOPPED] * 2, []),
        ("stopped", [STOPPED] * 3, ["kubelet is stopped"]),
        ("hangs", [HANGS] * 5, ["kubelet runs and does not answer"]),
        ("ends", [part("activating", "auto-restart")] * 7, ["kubelet ends again and again: no such flag"]),
        ("ends, seen alive", [part(restarts=3 * n) for n in range(10)], ["kubelet ends again and again: no such flag"]),
        ("starts", [STARTS] * 31, ["kubelet has been starting for minutes"]),
    ],
)
def test_what_is_said(what, looks, said):
    course = watch(looks, tries=False)[1]
    assert health.problems(course, NOW + 10 * (len(looks) - 1), {"kubelet": "no such flag"}) == said, what


def disk(size_mib, free_mib, files=0, files_free=0):
    return {"path": "/x", "size": size_mib << 20, "free": free_mib << 20, "files": files, "files_free": files_free}


@pytest.mark.parametrize(
    "what, seen, full",
    [
        ("room", disk(8192, 4096), False),
        ("5 % of a small one", disk(8192, 400), True),
        ("6 % of a small one", disk(8192, 500), False),
        ("1 % of a large one is plenty", disk(400_000, 4000), False),
        ("a tiny one", disk(1024, 255), True),
        ("no inodes", disk(8192, 4096, 1000, 19), True),
        ("few inodes", disk(8192, 4096, 1000, 21), False),
    ],
)
def test_full_disks(what, seen, full):
    assert bool(health.disk_problems([seen])) is full, what
