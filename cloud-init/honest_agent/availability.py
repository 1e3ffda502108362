"""Whether the Kubernetes API answers, as this node sees it: probed at a steady pace, counted, kept over restarts.

A thread of its own, since rounds of the agent take long just when the API is away, and a pace that slows down then would
make a failure look short. Each probe is a new connection with its handshake, as a new client would make one: a kept one does
not see a certificate that has ended. A worker asks the cluster's endpoint. A control plane resolves the endpoint's name to
itself, so it measures its own API server.
"""

import http.client
import json
import os
import re
import ssl
import threading
import time

import buckets
from api import CA
from certificates import iso

FILE = "/var/lib/honest-paas/availability.json"
PACE = 5
LIMIT = 3
# the disk is written seldom: what an agent that is killed loses was not measured, which is no failure
SAVE_SECONDS = 300
CHANGE_SECONDS = 60


def stamp(at):
    return None if at is None else iso(at)


def failing(text):
    """What /readyz has against it: "etcd, etcd-readiness failed". Another text as it is, cut."""
    checks = re.findall(r"^\[-\](\S+)", text, re.M)
    return ", ".join(checks) + " failed" if checks else " ".join(text.split())[:100]


class Endpoint:
    """One question to the API server: None when it is ready, else why not."""

    def __init__(self, host, port):
        self.host, self.port, self.context, self.read = host, port, None, None

    def trust(self):
        # a rotation changes the file
        changed = os.stat(CA).st_mtime_ns
        if changed != self.read:
            self.context, self.read = ssl.create_default_context(cafile=CA), changed
        return self.context

    def __call__(self):
        try:
            link = http.client.HTTPSConnection(self.host, self.port, timeout=LIMIT, context=self.trust())
            try:
                link.request("GET", "/readyz")
                reply = link.getresponse()
                text = reply.read(10000).decode(errors="replace")
            finally:
                link.close()
        except (OSError, http.client.HTTPException) as cause:
            return "%s: %s" % (type(cause).__name__, cause)
        # a cluster that lets nobody unknown ask does answer
        return None if reply.status in (200, 401, 403) else "HTTP %d: %s" % (reply.status, failing(text))


class Availability:
    def __init__(self, probe, told=lambda state: None):
        """told: called after each probe, beside the agent, with {"down", "why"}: since when (seconds) and why, or Nones."""
        self.probe, self.told, self.lock = probe, told, threading.Lock()
        self.state, self.thread, self.wake = self.load(), None, threading.Event()
        self.saved, self.dirty, self.failure = 0.0, False, None

    def load(self):
        try:
            with open(FILE, encoding="utf-8") as f:
                return buckets.checked(json.load(f))
        except FileNotFoundError:
            return buckets.fresh()
        except (OSError, ValueError) as cause:
            print("the counts of availability begin anew: %s: %s" % (FILE, cause), flush=True)
            return buckets.fresh()

    def once(self, at):
        why = self.probe()
        with self.lock:
            was = self.state["down"]
            buckets.add(self.state, at, why is None, PACE)
            down = self.state["down"]
            self.dirty = self.dirty or (was is None) is not (down is None)
            if why is not None:
                self.failure = {"at": stamp(at), "why": why[:200]}
        self.told({"down": down, "why": why})

    def run(self):
        due = time.monotonic()
        while not self.wake.wait(max(0.0, due - time.monotonic())):
            self.once(time.time())
            # after a pause of the whole machine it goes on from there: probes are not made up for
            due = max(due + PACE, time.monotonic())

    def save(self, now):
        with self.lock:
            text = json.dumps(self.state, sort_keys=True)
            self.dirty = False
        self.saved = now
        with open(FILE + ".part", "w", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            os.fsync(f.fileno())
        os.rename(FILE + ".part", FILE)

    def round(self, now):
        if self.thread is None or not self.thread.is_alive():
            # a thread that fell is no reason to measure no more; what it said stands in the agent's log
            self.thread = threading.Thread(target=self.run, name="availability", daemon=True)
            self.thread.start()
        wait = CHANGE_SECONDS if self.dirty else SAVE_SECONDS
        if not self.saved <= now < self.saved + wait:
            self.save(now)

    def notes(self):
        """Annotation of this machine's Node; nothing before the first probe."""
        with self.lock:
            now = self.state["last"]
            if now is None:
                return {}
            spans = {name: buckets.total(self.state, row, now) for name, row in (("day", "hours"), ("month", "days"))}
            down, failure = self.state["down"], self.failure
        for span in spans.values():
            span["since"] = stamp(span["since"])
        said = dict(spans, at=stamp(now), down_since=stamp(down), last_failure=failure, pace=PACE)
        return {"honest-paas.dev/availability": json.dumps(said, sort_keys=True)}
