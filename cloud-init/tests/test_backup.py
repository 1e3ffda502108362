"""The duty of backups: what is next, and its rounds against a stand-in of the API and of the work beside the agent."""

import base64
import contextlib
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import asked
import backup
import backup_metrics
import snapshots
import target
from api import ApiError

NOON = float(snapshots.taken_at("20261130T120000Z"))
TARGET = {"endpoint": "https://s3.example", "bucket": "b", "prefix": "p/", "region": "r", "keep": 3, "ca": None}
POLICY = {"every_seconds": 3600, "keep": 3, "drill_seconds": 86400, "target": TARGET}
DOCUMENT = {"members": {"a": "10.0.0.1", "b": "10.0.0.2"}, "cluster": {"name": "c", "uid": "u"}, "node": {"name": "a"}}
PLACE = target.digest_of(TARGET)


def proof(name, node="a"):
    return {"name": name, "node": node, "size": 4, "revision": 7, "keys": 5, "sha256": "x"}


def sent(name, place=PLACE):
    return {"id": name + "-a", "at": 1, "taken": snapshots.taken_at(name), "target": place}


def seen(good=(), **more):
    common = {"offset": 0, "first": 0, "begun": NOON - 1000, "tried": {}, "request": None, "last_upload": 0}
    return {**common, "good": {name: proof(name) for name in good}, **more}


ONE = "20261130T120000Z"
DRILLED = {"at": NOON, "name": ONE}


@pytest.mark.parametrize(
    "what, policy, state, now, wanted",
    [
        (seen(), POLICY, {}, NOON, ("take", "schedule")),
        # a birth's members begin one after another
        (seen(begun=NOON - 5, first=10), POLICY, {}, NOON, None),
        (seen(begun=NOON - 10, first=10), POLICY, {}, NOON, ("take", "schedule")),
        # a clock that was set back
        (seen(begun=NOON + 500, first=10), POLICY, {}, NOON, ("take", "schedule")),
        # a drill is not for the first minutes, when images are still unpacked
        (seen([ONE], begun=NOON - 599), {**POLICY, "target": None}, {}, NOON, None),
        (seen([ONE], begun=NOON - 59), {**POLICY, "target": None, "drill_seconds": 60}, {}, NOON, None),
        (seen([ONE], begun=NOON - 60), {**POLICY, "target": None, "drill_seconds": 60}, {}, NOON, ("drill", "schedule")),
        (seen(), {**POLICY, "every_seconds": 0}, {}, NOON, None),
        (seen([ONE]), POLICY, {}, NOON + 60, ("upload", "schedule")),
        (seen([ONE], last_upload=NOON), POLICY, {}, NOON + 60, ("drill", "schedule")),
        (seen([ONE], last_upload=NOON), POLICY, {"drill": DRILLED}, NOON + 60, None),
        (seen([ONE]), {**POLICY, "target": None}, {"drill": DRILLED}, NOON + 60, None),
        # another member has sent one of this turn
        (seen([ONE], last_upload=NOON - 1200), POLICY, {"drill": DRILLED}, NOON + 60, None),
        (seen([ONE], last_upload=NOON - 3600), POLICY, {"drill": DRILLED}, NOON + 60, ("upload", "schedule")),
        # ... but what was taken on request goes too
        (seen([ONE], last_upload=NOON - 1200), POLICY, {"drill": DRILLED, "asked": {"at": "t", "name": ONE}}, NOON, ("upload", "schedule")),
        (seen([ONE], request={"at": "t"}), POLICY, {}, NOON + 60, ("take", "asked")),
        (seen([ONE], request={"at": "t"}), {**POLICY, "every_seconds": 0}, {}, NOON + 60, ("take", "asked")),
        (seen([ONE], request={"at": "t"}), {**POLICY, "target": None}, {"asked": {"at": "t", "name": ONE}, "drill": DRILLED}, NOON, None),
        # an upload that failed waits, and nothing else waits for it
        (seen([ONE]), POLICY, {"failed": {"upload": {"at": NOON, "tries": 1}}}, NOON + 59, ("drill", "schedule")),
        (seen([ONE]), POLICY, {"failed": {"upload": {"at": NOON, "tries": 1}}}, NOON + 60, ("upload", "schedule")),
        (seen([ONE]), POLICY, {"failed": {"upload": {"at": NOON, "tries": 9}}, "drill": DRILLED}, NOON + 1799, None),
        (seen([ONE]), POLICY, {"failed": {"upload": {"at": NOON, "tries": 9}}, "drill": DRILLED}, NOON + 1800, ("upload", "schedule")),
    ],
)
def test_the_next_piece_of_work(what, policy, state, now, wanted):
    assert backup.next_job(what, policy, {**backup.empty(), **state}, now) == wanted


def test_another_place_has_none_of_this_ones_uploads():
    state = {**backup.empty(), "uploaded": sent(ONE, "elsewhere")}
    assert backup.last_upload(state, [None, sent("20261130T110000Z")], PLACE) == NOON - 3600
    assert backup.last_upload(state, [], PLACE) == 0


class Api:
    def __init__(self):
        self.events, self.lease, self.nodes, self.away = [], None, [], None
        self.secret = {name: base64.b64encode(name.encode()).decode() for name in target.KEYS}

    def get(self, path):
        if self.away:
            raise self.away
        if "secrets" in path:
            return {"data": self.secret}
        if "nodes" in path:
            return {"items": self.nodes}
        return self.lease

    def call(self, method, path, body):
        if "events" in path:
            self.events.append((body["type"], body["reason"], body["message"]))
        else:
            self.lease = {**body, "metadata": {**body["metadata"], "resourceVersion": "1"}}


class Told:
    said = {}

    def part(self, name):
        assert name == "backup"
        return self.said


@pytest.fixture
def duty(tmp_path, monkeypatch):
    class Work:
        """What would run beside the agent: `outcomes` by task, and what was started."""

        started, outcomes, hour = [], {}, 12

        def __init__(self, script, task, limit):
            assert script == "backup_job.py"
            self.task = task
            Work.started.append(task)

        def poll(self):
            outcome = Work.outcomes[self.task["do"]]
            return outcome(self.task) if callable(outcome) else outcome

    def taken(task):
        name = "20261130T%02d%02d00Z" % (Work.hour, len(Work.started))
        (tmp_path / (name + ".db")).write_bytes(b"xxxx")
        (tmp_path / (name + ".json")).write_text(json.dumps(proof(name)))
        return {"ok": proof(name)}

    Work.started = []
    Work.outcomes = {"take": taken, "upload": lambda task: {"ok": {**sent(task["proof"]["name"]), "problem": None}}}
    Work.outcomes["drill"] = lambda task: {"ok": {"at": 5, "name": task["proof"]["name"], "objects": 9, "seconds": 1}}
    monkeypatch.setattr(backup.Backup, "mounted", lambda self: True)
    monkeypatch.setattr(backup_metrics, "FILE", str(tmp_path / "metrics" / "x.prom"))
    monkeypatch.setattr(backup_metrics.write, "__defaults__", (str(tmp_path / "metrics" / "x.prom"),))
    asked.latest.clear()
    told = Told()
    told.said = json.loads(json.dumps(POLICY))
    made = backup.Backup(Api(), DOCUMENT, "a", told, folder=str(tmp_path), start=Work, clock=lambda: NOON - 1000)
    made.work = Work
    return made


def rounds(duty, now, many=8):
    for _ in range(many):
        duty.round(now)
        now += 3
    return now


def report(duty):
    return json.loads(duty.notes()[backup.NOTE])


def test_a_turn_takes_sends_and_tries_a_restore(duty):
    rounds(duty, NOON, many=14)
    assert [task["do"] for task in duty.work.started] == ["take", "upload", "drill"]
    said = report(duty)
    assert (said["last"]["name"], said["uploaded"]["id"], said["drill"]["objects"]) == ("20261130T120100Z", "20261130T120100Z-a", 9)
    assert (said["problem"], said["failed"], duty.api.events) == (None, {}, [])
    assert duty.api.lease["spec"] == {}


def test_keys_go_to_the_work_and_are_said_nowhere(duty):
    rounds(duty, NOON)
    given = [task["target"] for task in duty.work.started if task["do"] == "upload"][0]
    assert (given["passphrase"], given["secret_access_key"], given["bucket"]) == ("passphrase", "secret_access_key", "b")
    assert "secret_access_key" not in json.dumps(report(duty))
    assert "secret_access_key" not in (Path(duty.folder) / "state.json").read_text()


def test_nothing_is_done_before_the_policy_says_so(duty):
    duty.told.said = {}
    rounds(duty, NOON)
    assert duty.work.started == []
    assert report(duty)["schedule_seconds"] == 0


@pytest.mark.parametrize("what", ["take", "upload", "drill"])
def test_work_that_ended_with_the_machines_service_leaves_no_trace(duty, monkeypatch, what):
    if what != "upload":
        duty.told.said["target"] = None
    if what == "drill":
        duty.told.said["every_seconds"] = 0
        duty.work.outcomes["take"]({})
    if what == "upload":
        (Path(duty.folder) / (ONE + ".db")).write_bytes(b"xxxx")
        (Path(duty.folder) / (ONE + ".json")).write_text(json.dumps(proof(ONE)))
    duty.work.outcomes[what] = {"error": "it was ended, since the machine went out of service"}
    duty.round(NOON)
    assert duty.job.task["do"] == what
    held, folder = report(duty)["held"], duty.folder
    # the machine goes, and comes back when nobody came for it
    with monkeypatch.context() as gone:
        gone.setattr(backup.Backup, "mounted", lambda self: False)
        duty.folder = str(Path(folder) / "mount-point")
        rounds(duty, NOON + 1)
        assert not Path(duty.folder).exists()
        assert what != "upload" or duty.api.lease["spec"] == {}
    duty.folder = folder
    rounds(duty, NOON + 9, many=1)
    assert (report(duty)["held"], report(duty)["problem"], duty.api.events) == (held, None, [])


def test_nothing_is_done_without_the_disk(duty, monkeypatch):
    monkeypatch.setattr(backup.Backup, "mounted", lambda self: False)
    rounds(duty, NOON)
    assert (duty.work.started, duty.notes()) == ([], {})


def test_a_failure_is_said_once_and_its_end_too(duty):
    duty.work.outcomes["upload"] = {"error": "the target is full"}
    now = rounds(duty, NOON)
    assert report(duty)["problem"] == "upload: the target is full"
    assert duty.api.events == [("Warning", "SnapshotUploadFailed", "the target is full")]
    # another one may try now
    assert duty.api.lease["spec"] == {}
    now = rounds(duty, now + 60)
    assert [task["do"] for task in duty.work.started].count("upload") == 2
    assert len(duty.api.events) == 1
    duty.work.outcomes["upload"] = lambda task: {"ok": {**sent(task["proof"]["name"]), "problem": None}}
    rounds(duty, now + 120)
    assert report(duty)["problem"] is None
    assert duty.api.events[1] == ("Normal", "SnapshotUploaded", "20261130T120100Z-a, after 2 failed tries")


def test_a_target_that_is_taken_away_takes_its_trouble_with_it(duty):
    duty.work.outcomes["upload"] = {"error": "the target is full"}
    now = rounds(duty, NOON)
    duty.told.said["target"] = None
    rounds(duty, now)
    assert report(duty)["problem"] is None


def test_old_snapshots_that_cannot_be_deleted_there_are_no_failed_upload(duty):
    duty.work.outcomes["upload"] = lambda task: {"ok": {**sent(task["proof"]["name"]), "problem": "old ones stay"}}
    rounds(duty, NOON)
    assert (report(duty)["problem"], report(duty)["failed"]) == ("old ones stay", {})
    assert report(duty)["uploaded"]["id"] == "20261130T120100Z-a"


def test_another_member_that_has_sent_one_of_this_turn_spares_it(duty):
    note = {backup.NOTE: json.dumps({"uploaded": sent("20261130T115000Z")})}
    duty.api.nodes = [{"metadata": {}}, {"metadata": {"annotations": note}}]
    rounds(duty, NOON)
    assert [task["do"] for task in duty.work.started] == ["take", "drill"]


def test_the_lease_is_kept_until_the_others_can_see_what_was_sent(duty):
    rounds(duty, NOON, many=7)
    assert (report(duty)["uploaded"]["id"], duty.api.lease["spec"]["holderIdentity"]) == ("20261130T120100Z-a", "a")


def test_what_was_sent_while_it_waited_for_the_lease_is_seen(duty):
    duty.api.lease = {"metadata": {"resourceVersion": "1"}, "spec": {"holderIdentity": "b", "renewTime": "2026-11-30T12:00:00.000000Z"}}
    now = rounds(duty, NOON, many=4)
    duty.api.lease["spec"] = {}
    duty.api.nodes = [{"metadata": {"annotations": {backup.NOTE: json.dumps({"uploaded": sent("20261130T120000Z")})}}}]
    rounds(duty, now)
    assert ([task["do"] for task in duty.work.started], duty.api.lease["spec"]) == (["take", "drill"], {})


@pytest.mark.parametrize("fault", [OSError("refused"), ApiError(500, "etcd")])
def test_snapshots_are_taken_while_the_api_is_away_and_sent_later(duty, fault):
    duty.told.said["drill_seconds"] = 0
    # one was sent, and the Lease is still held for it
    now = rounds(duty, NOON, many=6)
    assert duty.held_until
    duty.api.away = fault
    for hour in (13, 14):
        duty.work.hour, now = hour, NOON + 3600 * (hour - 12)
        for _ in range(20):
            with contextlib.suppress(OSError, ApiError):
                duty.round(now)
            now += 3
    assert [task["do"] for task in duty.work.started] == ["take", "upload", "take", "take"]
    duty.api.away = None
    rounds(duty, now + backup.OTHERS_SECONDS)
    assert [task["do"] for task in duty.work.started][4:] == ["upload"]


def test_what_another_one_sends_is_not_sent_beside_it(duty):
    duty.api.lease = {"metadata": {"resourceVersion": "1"}, "spec": {"holderIdentity": "b", "renewTime": "2026-11-30T12:00:00.000000Z"}}
    rounds(duty, NOON)
    assert "upload" not in [task["do"] for task in duty.work.started]


def test_a_request_is_answered_by_whom_it_names(duty):
    duty.told.said["target"] = None
    now = rounds(duty, NOON)
    asked.latest[asked.SNAPSHOT] = {"do": "snapshot", "at": "t1", "node": "b"}
    now = rounds(duty, now)
    assert report(duty)["asked"] is None
    asked.latest[asked.SNAPSHOT] = {"do": "snapshot", "at": "t2", "node": "a"}
    now = rounds(duty, now)
    assert report(duty)["asked"] == {"at": "t2", "name": report(duty)["last"]["name"], "problem": None}
    assert [task["do"] for task in duty.work.started].count("take") == 2
    duty.work.outcomes["take"] = {"error": "no room"}
    asked.latest[asked.SNAPSHOT] = {"do": "snapshot", "at": "t3", "node": "a"}
    rounds(duty, now)
    assert report(duty)["asked"] == {"at": "t3", "name": None, "problem": "no room"}


def test_an_agent_goes_on_where_the_one_before_it_stopped(duty):
    rounds(duty, NOON)
    again = backup.Backup(duty.api, DOCUMENT, "a", duty.told, folder=duty.folder, start=duty.work, clock=lambda: NOON - 1000)
    rounds(again, NOON + 60)
    assert len(duty.work.started) == 3
    assert report(again)["uploaded"]["id"] == "20261130T120100Z-a"
    (Path(duty.folder) / "state.json").write_text("{")
    broken = backup.Backup(duty.api, DOCUMENT, "a", duty.told, folder=duty.folder, start=duty.work, clock=lambda: NOON - 1000)
    broken.round(NOON + 60)
    assert report(broken)["last"]["name"] == "20261130T120100Z"


def test_what_is_known_is_a_metric_and_what_is_not_has_no_line():
    state = {**backup.empty(), "failed": {"upload": {"words": "x", "at": 1, "tries": 1, "since": 1}}}
    lines = backup_metrics.lines(backup.report_of({ONE: proof(ONE)}, POLICY, state, NOON))
    assert "honest_paas_snapshot_last_timestamp_seconds %d\n" % NOON in lines
    assert 'honest_paas_snapshot_failing{what="upload"} 1\n' in lines
    assert 'honest_paas_snapshot_failing{what="take"} 0\n' in lines
    assert "uploaded" not in lines
