"""Looks whether this machine's parts work, mends what may be mended, and says so: annotation, events.

It looks beside the agent's rounds: who does not answer takes seconds to ask. What it does once a look is one step at most.
"""

import http.client
import json
import os
import subprocess
import threading

import etcd
import events
import health
import nospace
import probe
import retire
from api import ApiError
from certificates import iso
from keeper import boot_stage_is_done
from lease import Lease
from through import Through

PERIOD = 10
# disks and etcd's files change slowly
SLOW = 60
FULL_PAUSE = 600
MAINTENANCE = "honest-paas.dev/maintenance"
HEALTH = "honest-paas.dev/health"
# the last word of the cluster about healing, for a machine that starts while the API is away
WISH = "/var/lib/honest-paas/self-heal.json"
KEPT_EVENTS = 50
SAID_AGAIN = 3600
OUTSIDE = (OSError, ApiError, ValueError, KeyError, IndexError, http.client.HTTPException, subprocess.SubprocessError)


def mend(action, unit):
    if action == "start":
        # it may be one that systemd gave up; and etcd's start waits for a quorum
        retire.program("systemctl", "reset-failed", unit)
        why = retire.program("systemctl", "start", "--no-block", unit)
    else:
        # what does not answer does not end by being asked; its children, such as shims, go on
        why = retire.program("systemctl", "kill", "--kill-who=main", "--signal=SIGKILL", unit)
    if why:
        raise OSError(why)


class Healer:
    def __init__(self, api, doc, node, told, wish=WISH):
        """told: the cluster's Policy."""
        self.doc, self.node, self.told, self.wish_file = doc, node, told, wish
        self.control_plane = doc["node"]["role"] == "control-plane"
        # a control plane asks its own API server, which is silent with its etcd
        self.api = Through(api, self.addresses) if self.control_plane else api
        self.lease = Lease(self.api, "honest-paas-heal", node)
        self.next_look, self.thread, self.fault = 0.0, None, None
        self.course, self.said, self.queue, self.healed, self.text = {}, {}, [], [], None
        self.maintenance, self.why_not, self.voters, self.silent = None, {}, [], []
        self.slow_at, self.slow, self.space = 0.0, [], {"compacted": None, "shrunk": [], "since": None, "again": 0.0}

    # what the agent calls

    def round(self, now):
        if self.fault:
            raise self.fault
        # a clock that was set back must not hold it up
        if (self.thread and self.thread.is_alive()) or now < self.next_look <= now + PERIOD:
            return
        self.next_look = now + PERIOD
        self.thread = threading.Thread(target=self.beside, args=(now,), daemon=True)
        self.thread.start()

    def notes(self):
        return {HEALTH: self.text} if self.text else {}

    def say_elsewhere(self, cause):
        """What is not well here, when the own API server does not take the report: through another one. Nothing else of the
        report, whose absence says that this control plane is not whole."""
        if not self.control_plane or not self.notes():
            return
        try:
            self.api.note_elsewhere(cause, self.node, self.notes())
        except (OSError, ApiError, ValueError, http.client.HTTPException) as again:
            if again is not cause:
                print("nor is this machine's health told elsewhere: %s: %s" % (type(again).__name__, again), flush=True)

    def beside(self, now):
        try:
            self.look(now)
        except OUTSIDE as cause:
            print("the look at this machine failed: %s: %s" % (type(cause).__name__, cause), flush=True)
        except Exception as cause:
            # a fault of the agent ends it, as everywhere else
            self.fault = cause

    # one look

    def look(self, now):
        booted, parts = probe.parts(self.control_plane)
        if not booted or os.path.exists(retire.RETIRED):
            self.course = {}
            return
        wanted = self.wanted()
        before = self.course
        self.course = health.follow(before, parts, now)
        for name in health.mended(before, self.course):
            self.did("%s works again" % health.NAMES.get(name, name), "Healed", now)
        self.step(wanted, now)
        found = self.problems(now) + self.no_space(wanted, now)
        self.tell(found, now)
        self.flush()
        said = {"problems": found, "healed": self.healed, "self_heal": wanted, "maintenance": self.maintenance}
        self.text = json.dumps(said, sort_keys=True)

    def in_service(self):
        """Until the boot stage is done, and when this machine was asked out of service, stopped is what parts shall be."""
        if os.path.exists(retire.RETIRED):
            return False
        return boot_stage_is_done()

    def wanted(self):
        """The cluster's wish, which outlives a restart of the agent."""
        said = self.told.part("self_heal")
        if "enabled" in said:
            wish = said["enabled"] is not False
            if self.remembered() is not wish:
                with open(self.wish_file, "w", encoding="utf-8") as f:
                    json.dump(wish, f)
            return wish
        return self.remembered() is not False

    def remembered(self):
        try:
            with open(self.wish_file, encoding="utf-8") as f:
                return json.load(f)
        except (OSError, ValueError):
            return None

    def step(self, wanted, now):
        step = health.next_step(self.course, now)
        if step is None:
            self.end_turn(now)
            return
        action, name = step
        self.why_not.pop(name, None)
        why = self.forbidden(wanted) or self.guard(action, name, now) or self.turn(now)
        # all that has taken a while
        if not self.in_service():
            return
        if why:
            self.why_not[name] = why
            return
        entry = self.course[name]
        self.course = health.tried(self.course, name, now)
        title, tries = health.NAMES.get(name, name), entry["tries"] + 1
        how = "was stopped" if action == "start" else "did not answer"
        mend(action, name)
        self.did("%s %s for %d s: started again (try %d)" % (title, how, now - entry["since"], tries), "Healing", now)

    def forbidden(self, wanted):
        """Why nothing is mended here now, whatever it is; or None."""
        if not wanted:
            return "self_heal is off"
        try:
            found = self.api.get("/api/v1/nodes/" + self.node)
            annotations = (found or {}).get("metadata", {}).get("annotations") or {}
            self.maintenance = annotations.get(MAINTENANCE)
        except (OSError, ApiError, ValueError, http.client.HTTPException) as cause:
            print("whether this machine is in maintenance cannot be read, what was said before stands: %s" % cause, flush=True)
        return None if self.maintenance is None else "in maintenance: %s" % self.maintenance

    def guard(self, action, name, now):
        if name != "honest-etcd" or action != "end":
            return None
        return health.may_end_etcd(self.others(), now - self.course[name]["since"])

    def others(self):
        """[whether it answers] of the other voters; asked directly, since the local member is the one that is silent."""
        return [etcd.answers(address) for address in self.addresses()]

    def addresses(self):
        """Of the other control planes: as etcd had them last, else as they were when this machine was made."""
        return self.voters or [a for n, a in sorted(self.doc["members"].items()) if n != self.node]

    def turn(self, now):
        """Why it is another's turn, or None. While the API does not answer, nobody can say, and what is down here stays
        down by waiting: only what does not work already is touched."""
        if not self.control_plane:
            return None
        try:
            if self.lease.take(now):
                return None
            return "%s is mended now" % (self.lease.look(now)["holder"] or "another control plane")
        except (OSError, ApiError, ValueError, http.client.HTTPException) as cause:
            print("the turn to mend cannot be had (%s); this machine goes on alone" % cause, flush=True)
            return None

    def end_turn(self, now):
        """Stays on the turn while a part may yet come up, else gives it back. An API that takes no writes must not keep the rest
        of the look from being done: a turn that nobody stays on ends by itself."""
        if not self.lease.until:
            return
        try:
            self.lease.take(now) if health.mending(self.course, now) else self.lease.free()
        except (OSError, ApiError, ValueError, http.client.HTTPException) as cause:
            print("the turn to mend is not given back: %s" % cause, flush=True)

    # what is seen

    def problems(self, now):
        ends = {n: probe.last_words(n) for n, e in self.course.items() if e["how"] == "ends" and health.lasting(e, now)}
        found = health.problems(self.course, now, ends)
        self.why_not = {n: why for n, why in self.why_not.items() if self.course[n]["how"] != "well"}
        found += ["%s is not mended: %s" % (health.NAMES.get(n, n), why) for n, why in sorted(self.why_not.items())]
        if not 0 <= now - self.slow_at < SLOW:
            self.slow_at = now
            self.slow = health.disk_problems(probe.disks())
            if self.control_plane:
                self.slow_look()
        return found + self.slow

    def slow_look(self):
        well = all(e["how"] == "well" for e in self.course.values())
        if well:
            self.voters = etcd.addresses(self.node)
            silent = probe.static_pods(self.doc["address"], self.doc["endpoint"]["port"])
            # kubelet, a renewal or an upgrade may just be starting it anew: said when it was so at the look before
            self.slow += ["%s does not answer; kubelet starts it again" % name for name in silent if name in self.silent]
            self.silent = silent
        sizes = probe.fragmentation()
        if sizes and sizes[0] > 256 * health.MIB and 2 * sizes[1] < sizes[0]:
            self.slow.append("more than half of etcd's file is unused: etcdctl defrag, one member at a time")

    # etcd without space

    def no_space(self, wanted, now):
        """Problems of etcd's space; one step against them."""
        if not self.control_plane or not probe.alarmed():
            self.space = {"compacted": None, "shrunk": [], "since": None, "again": 0.0}
            return []
        words = "etcd takes no more data (NOSPACE)"
        if self.space["since"] is None:
            self.space["since"] = now
        why = self.forbidden(wanted)
        if why:
            return ["%s; it is not mended: %s" % (words, why)]
        if 0 <= self.space["again"] - now < FULL_PAUSE:
            return [words] + self.space["full"]
        members = nospace.look()
        if members is None:
            return [words]
        action, what = step = nospace.next_step(members, self.node, self.space)
        if action == "wait":
            return ["%s; it is not mended here now: %s" % (words, what)]
        if action == "full":
            self.space.update(compacted=None, shrunk=[], again=now + FULL_PAUSE, full=[what])
            return [words, what]
        try:
            self.did("etcd: " + nospace.act(step, members, self.node), "Healing" if action != "disarm" else "Healed", now)
        except ValueError as cause:
            self.space.update(again=now + PERIOD * 3, full=[str(cause)])
            return [words, str(cause)]
        if action == "compact":
            self.space.update(compacted=what, shrunk=[])
        elif action == "shrink":
            self.space["shrunk"].append(what)
        # the next step at once: until the end nobody can write
        self.next_look = 0.0
        return [] if action == "disarm" else [words]

    # what is said

    def did(self, words, reason, now):
        self.healed = (self.healed + [{"at": iso(now), "what": words}])[-5:]
        self.queue.append(("Normal", reason, words, now))

    def tell(self, found, now):
        """Each problem once, and again each hour while it lasts."""
        for words in found:
            if words not in self.said:
                self.queue.append(("Warning", "Unwell", words, now))
        self.said = {w: self.said.get(w, now) for w in found if now - self.said.get(w, now) < SAID_AGAIN}

    def flush(self):
        """Events in their order; what cannot be written now waits, since an API that is away is what is told about."""
        self.queue = self.queue[-KEPT_EVENTS:]
        while self.queue:
            kind, reason, words, when = self.queue[0]
            try:
                self.api.call("POST", events.PATH, events.event(self.node, kind, reason, words, when))
            except ApiError as cause:
                if cause.status >= 500:
                    return
                print("the event is refused: %s" % cause, flush=True)
            except (OSError, http.client.HTTPException):
                return
            self.queue.pop(0)
            print("%s: %s" % (reason, words), flush=True)
