"""Nothing of a run is left on this computer: whatever its tests did, and however it ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import lab
from support.machine import base_image

pytestmark = pytest.mark.engine
HERE = Path(__file__).resolve().parent

RUN = """
import os, pathlib, time
import pytest
from support.lab import Lab

pytestmark = pytest.mark.engine
END = os.environ["HONEST_END"]

@pytest.fixture
def lab():
    made = Lab()
    yield made
    made.close()

@pytest.fixture
def ground(lab):
    lab.disk()
    lab.machine(os.environ["HONEST_IMAGE"], "user-data").start()
    pathlib.Path("made").touch()
    if END == "fixture":
        raise RuntimeError("a fixture fails")
    if END == "half":
        lab.machine(os.environ["HONEST_IMAGE"], 17)

def test_it(ground):
    assert END != "test"
    pathlib.Path("ready").touch()
    time.sleep(120)
"""


@pytest.fixture
def run(tmp_path):
    """A run of its own: ends by itself as told, or gets as far as a machine and a disk and waits for a signal."""
    started = []

    def begin(end):
        (tmp_path / "test_run.py").write_text(RUN)
        places = {"PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)]), "HONEST_IMAGE": base_image("bookworm")}
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
        argv += ["-o", "markers=engine: machines", str(tmp_path / "test_run.py")]
        with open(tmp_path / "log", "w") as log:
            child = subprocess.Popen(argv, cwd=tmp_path, env={**os.environ, **places, "HONEST_END": end}, stdout=log, stderr=log)
        started.append(child)
        return child, lab.run_mark(child.pid)

    yield begin
    for child in started:
        child.kill()
        child.wait()
    lab.sweep()


def left(mark):
    return [c for c in lab.containers() if c[1] == mark] + [d for d in lab.loops() if d[2] == mark]


def until(found, seconds=60):
    end = time.time() + seconds
    while not found():
        assert time.time() < end
        time.sleep(0.2)


@pytest.mark.parametrize("end", ["test", "fixture", "half"])
def test_a_run_that_fails_leaves_nothing(run, tmp_path, end):
    child, mark = run(end)
    assert child.wait(120) == pytest.ExitCode.TESTS_FAILED, (tmp_path / "log").read_text()
    assert (tmp_path / "made").exists()
    assert left(mark) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_leaves_nothing(run, tmp_path, how):
    child, mark = run("signal")
    until((tmp_path / "ready").exists)
    assert len(left(mark)) == 2
    child.send_signal(how)
    assert child.wait(60) == pytest.ExitCode.INTERRUPTED, (tmp_path / "log").read_text()
    assert left(mark) == []


def test_the_next_run_takes_away_what_a_killed_one_left_and_nothing_of_a_living_one(run, tmp_path):
    child, mark = run("signal")
    until((tmp_path / "ready").exists)
    lab.sweep()
    assert len(left(mark)) == 2
    child.kill()
    child.wait()
    assert len(left(mark)) == 2
    lab.sweep()
    assert left(mark) == []


@pytest.mark.parametrize(
    "mark, gone",
    [
        (lab.run_mark(), False),
        # this process' number, another process
        (lab.run_mark().rsplit("-", 1)[0] + "-1", True),
        # numbers of another container say nothing here
        ("1-%d-1" % os.getpid(), False),
        ("not one of ours", False),
    ],
    ids=["mine", "number used again", "elsewhere", "foreign"],
)
def test_whose_run_is_over(mark, gone):
    assert lab.over(mark) is gone
