"""Duty of control planes: snapshots by schedule and on request, sent to the target by one of them, tried by restores.

Each piece of work is a process beside the agent (backup_job.py), one at a time. What came of it stands on the etcd disk, on
the Node, as an event when it begins or ends to fail, and as a metric.
"""

import base64
import http.client
import json
import math
import os
import time

import asked
import backup_metrics
import events
import snapshots
import target
from api import ApiError
from job import Job
from lease import Lease

MOUNT = "/var/lib/honest-paas/etcd-disk"
SECRET = "/api/v1/namespaces/kube-system/secrets/honest-paas-backup"
NODES = "/api/v1/nodes?labelSelector=node-role.kubernetes.io%2Fcontrol-plane"
NOTE = "honest-paas.dev/snapshots"
LOOK_SECONDS, LEASE_SECONDS, OTHERS_SECONDS, REMIND_SECONDS = 2, 20, 30, 3600
# longer than it takes a report to reach the Node: whoever has the lease next sees what was sent
TOLD_SECONDS = 20
LIMIT = {"take": 900, "drill": 1800, "upload": 3600}
FIRST_UPLOAD_RETRY, LAST_UPLOAD_RETRY = 60, 1800
# a machine that has just booted has more to do, and a birth's control planes do not all begin at once
FIRST_SNAPSHOT, FIRST_SPREAD, FIRST_DRILL = 60, 10, 600
REASONS = {"take": "SnapshotFailed", "drill": "RestoreDrillFailed", "upload": "SnapshotUploadFailed"}
MENDED = {"take": "SnapshotTaken", "drill": "RestoreDrillPassed", "upload": "SnapshotUploaded"}


def empty():
    return {"uploaded": None, "drill": None, "failed": {}, "asked": None, "notes": {}}


def policy_of(said):
    """{"every_seconds", "keep", "drill_seconds", "target"}: nothing said = nothing done; 0 seconds = not by schedule."""
    return {
        "every_seconds": int(said.get("every_seconds", 0)),
        "keep": int(said.get("keep", 1)),
        "drill_seconds": int(said.get("drill_seconds", 0)),
        "target": said.get("target"),
    }


def retry_at(failure):
    """When an upload that failed is tried again: after a minute, then twice that, to half an hour."""
    return failure["at"] + min(LAST_UPLOAD_RETRY, FIRST_UPLOAD_RETRY * 2 ** (failure["tries"] - 1))


def last_upload(state, others, place):
    """When the youngest snapshot at that place was taken, whoever sent it; 0 = there is none. others: what Nodes say."""
    sent = [one for one in [state["uploaded"], *others] if one and one.get("target") == place]
    return max((one["taken"] for one in sent), default=0)


def upload_due(newest, policy, last, wish):
    """Is this node's newest snapshot to be sent? Only one for each turn of the schedule, unless it was taken on request."""
    if newest is None or policy["target"] is None:
        return False
    taken = snapshots.taken_at(newest)
    # members' turns are spread, so the next one's snapshot is younger by less than a whole turn
    return taken > last and (wish == newest or last == 0 or taken - last >= 0.9 * policy["every_seconds"])


def next_job(seen, policy, state, now):
    """(what, why) or None. seen: {"good": {name: proof}, "offset", "begun", "first", "tried", "request", "last_upload"}.

    begun: when the agent did; first: how long it then waits with the first snapshot.
    """
    good, tried, failed = seen["good"], seen["tried"], state["failed"]
    if seen["request"] and (state["asked"] or {}).get("at") != seen["request"]["at"]:
        return "take", "asked"
    # a clock that was set back must not hold anything up
    young = [0 <= now - seen["begun"] < wait for wait in (seen["first"], min(FIRST_DRILL, policy["drill_seconds"]))]
    if (good or not young[0]) and snapshots.due(good, policy, now, tried.get("take", 0.0), seen["offset"]):
        return "take", "schedule"
    waits = "upload" in failed and failed["upload"]["at"] <= now < retry_at(failed["upload"])
    if not waits and upload_due(max(good, default=None), policy, seen["last_upload"], (state["asked"] or {}).get("name")):
        return "upload", "schedule"
    if not young[1] and snapshots.drill_due(good, state["drill"], now, policy["drill_seconds"], tried.get("drill", 0.0)):
        return "drill", "schedule"
    return None


class Backup:
    def __init__(self, api, doc, node, told, folder=snapshots.FOLDER, start=Job, clock=time.time):
        """told: the cluster's Policy; start: what begins a piece of work."""
        self.api, self.doc, self.node, self.told, self.folder, self.start = api, doc, node, told, folder, start
        self.lease = Lease(api, "honest-paas-snapshots", node)
        self.policy, self.state, self.good = policy_of({}), empty(), {}
        self.job = self.why = self.text = None
        self.begun, self.next_look, self.kept, self.others_at, self.held_until = clock(), 0.0, 0.0, 0.0, 0.0
        self.tried, self.said, self.others, self.read = {}, {}, [], False

    def notes(self):
        """Annotations of this machine's Node."""
        return {NOTE: self.text} if self.text else {}

    def mounted(self):
        return os.path.ismount(MOUNT)

    def round(self, now):
        """At most one step; cheap when it is not time to look yet."""
        if self.job:
            self.follow(now)
            return
        # a clock that was set back must not hold it up
        if now < self.next_look <= now + LOOK_SECONDS:
            return
        self.next_look = now + LOOK_SECONDS
        self.let_go(now)
        if not self.mounted():
            return
        if not self.read:
            self.recall()
        self.take_policy()
        chosen = next_job(self.seen(now), self.policy, self.state, now)
        if chosen:
            self.begin(*chosen, now)
        self.tell()

    def take_policy(self):
        try:
            self.policy = policy_of(self.told.part("backup"))
        except (ValueError, AttributeError, TypeError) as cause:
            print("the policy of backups is not taken, the one before goes on: %s" % cause, flush=True)
        # what is no longer wanted cannot fail
        off = {"upload": self.policy["target"] is None, "drill": not self.policy["drill_seconds"], "take": not self.policy["every_seconds"]}
        for what in [what for what, is_off in off.items() if is_off]:
            self.state["failed"].pop(what, None)
            self.state["notes"].pop(what, None)

    def seen(self, now):
        members = self.doc.get("members") or {}
        request = asked.snapshot()
        mine = request and request.get("node") == self.node
        offset = snapshots.offset_of(self.node, members, self.policy["every_seconds"])
        first = min(FIRST_SNAPSHOT, self.policy["every_seconds"] // 2) + FIRST_SPREAD * sorted({*members, self.node}).index(self.node)
        common = {"good": self.good, "offset": offset, "first": first, "begun": self.begun, "tried": self.tried}
        return {**common, "request": request if mine else None, "last_upload": self.last_upload(now)}

    def last_upload(self, now):
        """Asked of the others only when this node's own newest may be the one to send."""
        wanted = self.policy["target"]
        if wanted is None:
            return 0
        place = target.digest_of(wanted)
        own = last_upload(self.state, [], place)
        if not upload_due(max(self.good, default=None), self.policy, own, (self.state["asked"] or {}).get("name")):
            return own
        if not self.others_at <= now < self.others_at + OTHERS_SECONDS:
            self.others, self.others_at = self.others_say(), now
        # nothing is sent while nobody can say what was; snapshots are taken all the same
        return math.inf if self.others is None else last_upload(self.state, self.others, place)

    def others_say(self):
        """What each control plane has sent last; None while the API does not answer."""
        try:
            found = (self.api.get(NODES) or {}).get("items", [])
        except (OSError, ApiError, ValueError, http.client.HTTPException) as cause:
            print("what the others have sent cannot be read: %s" % cause, flush=True)
            return None
        return [target.said(node, NOTE).get("uploaded") for node in found]

    def begin(self, what, why, now):
        task = {"do": what, "keep": self.policy["keep"]}
        if what != "take":
            task["proof"] = self.good[max(self.good)]
        if what == "upload":
            # one at a time: whoever sends makes the others' snapshots of this turn needless
            if not self.lease.take(now):
                return
            self.kept, self.others_at = now, 0.0
            if not upload_due(max(self.good), self.policy, self.last_upload(now), (self.state["asked"] or {}).get("name")):
                self.lease.free()
                return
            task["target"] = self.whole_target()
        self.tried[what] = now
        self.why = (asked.snapshot() or {}).get("at") if why == "asked" else None
        self.job = self.start("backup_job.py", task, LIMIT[what])

    def whole_target(self):
        """The policy's part and the Secret's; keys are read when they are needed and not kept."""
        secret = (self.api.get(SECRET) or {}).get("data") or {}
        return {**self.policy["target"], **{name: base64.b64decode(text).decode() for name, text in secret.items()}}

    def follow(self, now):
        what, done = self.job.task["do"], self.job.poll()
        if done is None:
            if what == "upload" and not self.kept <= now < self.kept + LEASE_SECONDS:
                self.kept = now
                self.lease.take(now)
            return
        self.job, self.next_look = None, 0.0
        if not self.mounted():
            # ended with the machine's service: there is no disk to look at, nor to write on what came of it
            self.held_until = now if what == "upload" else self.held_until
            return
        self.good = snapshots.good_ones(self.folder)
        if "error" in done:
            self.fail(what, done["error"], now)
        else:
            self.succeed(what, done["ok"], now)
        if what == "take" and self.why:
            name = None if "error" in done else done["ok"]["name"]
            self.state["asked"] = {"at": self.why, "name": name, "problem": done.get("error")}
        self.remember()
        self.tell()
        if what == "upload":
            self.held_until = now if "error" in done else now + TOLD_SECONDS
            self.let_go(now)

    def let_go(self, now):
        if self.held_until and not now < self.held_until <= now + TOLD_SECONDS:
            # once: one that cannot be given back ends by itself, and must not hold up the rounds
            self.held_until = 0.0
            self.lease.free()

    def succeed(self, what, result, now):
        mended = self.state["failed"].pop(what, None)
        self.state["notes"].pop(what, None)
        if what == "upload":
            problem = result.pop("problem", None)
            self.state["uploaded"] = result
            if problem:
                self.state["notes"]["upload"] = problem
        if what == "drill":
            self.state["drill"] = result
        if mended:
            self.said.pop(what, None)
            name = result.get("name") or result.get("id")
            events.record(self.api, self.node, "Normal", MENDED[what], "%s, after %d failed tries" % (name, mended["tries"]), now)

    def fail(self, what, words, now):
        before = self.state["failed"].get(what) or {"tries": 0, "since": int(now)}
        self.state["failed"][what] = {"words": words, "at": int(now), "since": before["since"], "tries": before["tries"] + 1}
        told = self.said.get(what)
        # said again when it fails for another reason, and once an hour while it lasts
        if told is None or told[0] != words or not told[1] <= now < told[1] + REMIND_SECONDS:
            self.said[what] = (words, now)
            events.record(self.api, self.node, "Warning", REASONS[what], words, now)

    def state_file(self):
        return os.path.join(self.folder, "state.json")

    def recall(self):
        """What agents before this one have seen: it stands on the disk that the snapshots are on."""
        self.read, self.good = True, snapshots.good_ones(self.folder)
        if not os.path.exists(self.state_file()):
            return
        try:
            with open(self.state_file(), encoding="utf-8") as f:
                self.state = {**empty(), **json.load(f)}
        except (ValueError, TypeError) as cause:
            print("%s is not read, it begins anew: %s" % (self.state_file(), cause), flush=True)

    def remember(self):
        # a first snapshot that fails leaves no folder
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        snapshots.write(self.state_file(), self.state)

    def tell(self):
        report = report_of(self.good, self.policy, self.state, self.begun)
        text = json.dumps(report, sort_keys=True)
        if text != self.text:
            self.text = text
            backup_metrics.write(report)


def report_of(good, policy, state, begun):
    """What stands on the Node. Times in seconds since the epoch; "held": [name, size, revision, keys] of each on this disk."""
    newest = max(good, default=None)
    problems = ["%s: %s" % (what, state["failed"][what]["words"]) for what in sorted(state["failed"])]
    problems += [state["notes"][what] for what in sorted(state["notes"])]
    picked = ("name", "size", "revision", "keys")
    return {
        "schedule_seconds": policy["every_seconds"],
        "drill_seconds": policy["drill_seconds"],
        "target": policy["target"] is not None,
        "since": int(begun),
        "last": {**{key: good[newest][key] for key in picked}, "at": snapshots.taken_at(newest)} if newest else None,
        "held": [[good[name][key] for key in picked] for name in sorted(good)],
        "uploaded": state["uploaded"],
        "drill": state["drill"],
        "failed": {what: failure["words"][:400] for what, failure in sorted(state["failed"].items())},
        "problem": "; ".join(problems)[:800] or None,
        "asked": state["asked"],
    }
