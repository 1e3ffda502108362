"""Work beside the agent: its outcome, its end in time, and its end with the agent."""

import sys
import textwrap
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import backup_job
import job

pytestmark = pytest.mark.world


@pytest.fixture
def work(tmp_path, monkeypatch):
    def write(text):
        (tmp_path / "work.py").write_text(textwrap.dedent(text))
        return "work.py"

    monkeypatch.setattr(job, "FOLDER", str(tmp_path))
    yield write
    job.end_all()


def wait(one, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        outcome = one.poll()
        if outcome is not None:
            return outcome
        time.sleep(0.02)
    raise AssertionError("it did not end")


def test_its_outcome_comes_back(work):
    one = job.Job(work("import json, sys\nprint(json.dumps({'ok': json.loads(sys.stdin.readline())['n'] + 1}))"), {"n": 1}, 60)
    assert wait(one) == {"ok": 2}
    assert one not in job.running


def test_a_task_without_an_outcome_is_an_error(work):
    assert "ended with 3" in wait(job.Job(work("import sys\nsys.exit(3)"), {}, 60))["error"]


def test_what_takes_too_long_is_ended_with_all_that_it_started(work, tmp_path):
    script = work(
        """
        import subprocess, sys, time
        child = subprocess.Popen(["sleep", "300"])
        open(%r, "w").write(str(child.pid))
        time.sleep(300)
        """
        % str(tmp_path / "pid")
    )
    one = job.Job(script, {}, 0.5)
    assert wait(one)["error"].startswith("it was ended after")
    child = int((tmp_path / "pid").read_text())
    assert gone(child)


def test_one_that_was_ended_for_a_machine_out_of_service_says_so_ever_after(work):
    one = job.Job(work("import time\ntime.sleep(300)"), {}, 60)
    assert one.poll() is None
    job.end_all()
    assert [one.poll(), one.poll()] == [{"error": "it was ended, since the machine went out of service"}] * 2
    assert job.running == set()


def gone(pid):
    for _ in range(100):
        try:
            with open("/proc/%d/stat" % pid, encoding="utf-8") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def test_it_goes_when_the_agent_goes(work, tmp_path):
    """The real process of backups, held up in its work: the end of its pipe is the agent's end."""
    source = Path(backup_job.__file__).parent
    (tmp_path / "boot.json").write_text("{}")
    script = work(
        """
        import sys, time
        sys.path.insert(0, %r)
        import backup_job
        backup_job.DOCUMENT = %r
        backup_job.work = lambda task, doc: time.sleep(300)
        backup_job.main()
        """
        % (str(source), str(tmp_path / "boot.json"))
    )
    one = job.Job(script, {"do": "take"}, 60)
    time.sleep(0.5)
    assert one.poll() is None
    one.process.stdin.close()
    assert one.process.wait(10) == -9
    job.running.discard(one)


def test_a_fault_is_an_outcome_and_a_task_that_nobody_knows_too(work, tmp_path, monkeypatch):
    assert backup_job.outcome({"do": "juggle"}, {}) == {"error": "no such task: juggle"}

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup_job.snapshots, "take", full)
    assert "No space left" in backup_job.outcome({"do": "take", "keep": 1}, {})["error"]
