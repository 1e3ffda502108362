"""Keeps the certificates of this machine: looks, does a step, or some renewals, a round, and says what it saw."""

import json
import time

import certificates
import etcd
import events
import observe
import probe
import renew
from lease import Lease

RETRY_SECONDS = 60
LONGEST_PAUSE = 30
LASTING_SECONDS = 60
# while authorities rotate the others wait for their turn
ROTATION_PAUSE = 3
# renewals that a round does one after another: with a round each, three machines would need longer than a window of a minute
ROW_SECONDS = 3


def policy_of(said, doc):
    """{"lifetime", "renew_before"} in seconds: the cluster's word, else the boot document's."""
    lifetime = doc["leaf_seconds"]
    lifetime = int(said.get("lifetime_seconds", lifetime))
    window = int(said.get("renew_before_seconds", lifetime // 3))
    if not 0 < window < lifetime:
        raise ValueError("honest-paas-policy has a renewal window of %d s and a lifetime of %d s" % (window, lifetime))
    return {"lifetime": lifetime, "renew_before": window}


def boot_stage_is_done():
    """Until then the same files are the boot stage's: it makes anew what ended while the machine was off."""
    return probe.is_done(probe.units([probe.BOOT])[probe.BOOT])


class Keeper:
    def __init__(self, api, doc, node, told, trust=None):
        """told: the cluster's Policy. trust: the duty that keeps the authorities."""
        self.api, self.doc, self.node, self.wanted, self.trust = api, doc, node, told, trust
        self.control_plane = doc["node"]["role"] == "control-plane"
        self.lease = Lease(api, "honest-paas-certificates", node)
        self.policy = policy_of({}, doc)
        self.next_look, self.text = 0.0, None
        self.failed, self.started, self.errors = {}, {}, {}
        self.told, self.since = {}, {}

    def look(self):
        if not self.control_plane:
            return observe.worker()
        seen = observe.control_plane(self.doc["address"], self.doc["endpoint"]["port"])
        if self.trust:
            seen = dict(seen, stale=self.trust.stale())
            self.trust.observed(seen)
        return seen

    def read_policy(self):
        try:
            self.policy = policy_of(self.wanted.part("certificates"), self.doc)
        except ValueError as cause:
            print("the policy is not taken, the one before goes on: %s" % cause, flush=True)

    def notes(self):
        """Annotations of this machine's Node."""
        return {"honest-paas.dev/certificates": self.text} if self.text else {}

    def round(self, now):
        """At most one step, or renewals for three seconds; cheap when it is not time to look yet."""
        # a clock that was set back must not hold it up
        hurry = self.trust is not None and self.trust.blind
        if now < self.next_look <= now + LONGEST_PAUSE and not hurry:
            return
        self.read_policy()
        # a tenth of the window, so that also short-lived ones have time for the whole row
        self.next_look = now + min(LONGEST_PAUSE, self.policy["renew_before"] / 10)
        if self.trust and self.trust.busy:
            self.next_look = now + ROTATION_PAUSE
        seen = self.look()
        # asked at each look: a machine that comes back into service, or whose boot stage a person starts anew, has it work again
        if self.control_plane and boot_stage_is_done():
            seen = self.steps(seen, now)
        wrong = self.trouble(seen, now)
        self.text = json.dumps(certificates.report(seen, "; ".join(wrong) or None), sort_keys=True)

    def steps(self, seen, now):
        """Acts on what was seen; returns what is to be reported."""
        begun, at, row = time.monotonic(), now, False
        while True:
            lease = self.lease.look(at)
            step = certificates.next_step(seen, self.policy, lease, at, self.failed, self.started)
            if step is None or (row and step[0] != "renew"):
                return seen
            self.next_look = at + 1
            self.act(step, seen, lease, at)
            row, at = True, now + time.monotonic() - begun
            if step[0] != "renew" or at - now > ROW_SECONDS:
                return seen
            seen = self.look()

    def trouble(self, seen, now):
        """What is wrong. What failed counts at once, what was only seen when it lasts: it may be the next step's work."""
        failed = ["%s: %s" % pair for pair in sorted(self.errors.items())]
        found = certificates.problems(seen, self.policy, now)
        self.since = {words: self.since.get(words, now) for words in found}
        wrong = failed + [words for words in found if now - self.since[words] >= LASTING_SECONDS]
        for words in wrong:
            if words not in self.told:
                events.record(self.api, self.node, "Warning", "CertificateTrouble", words, now)
        # said once an hour while it lasts
        self.told = {words: self.told.get(words, now) for words in wrong if now - self.told.get(words, now) < 3600}
        return wrong

    def act(self, step, seen, lease, now):
        action, target, why = step
        if action == "free":
            self.lease.free()
        elif action == "take":
            self.lease.take(now)
        elif action in ("renew", "restart"):
            if lease["mine"] and lease["known"] and not self.lease.take(now):
                return
            self.do(action, target, why, seen, now)

    def do(self, action, target, why, seen, now):
        try:
            if action == "renew":
                ca_ends = [leaf["ca_ends"] for leaf in seen["leaves"] if leaf["name"] == target][0]
                renew.renew(target, self.policy["lifetime"], ca_ends)
            elif target == "etcd":
                renew.restart_etcd(self.node, etcd.members())
            else:
                began = observe.running(target)
                renew.restart(target, self.policy["lifetime"], "%s %s" % (why, began and int(began[0])))
        except (renew.RenewError, OSError, ValueError, KeyError) as cause:
            self.failed[target] = now + RETRY_SECONDS
            self.errors[target] = "%s failed: %s" % (action, cause)
            # whoever cannot go on lets the others go on
            if self.lease.until:
                self.lease.free()
            return
        self.errors.pop(target, None)
        if action == "restart":
            self.started[target] = now
            events.record(self.api, self.node, "Normal", "ComponentRestarted", "%s: %s" % (target, why), now)
        else:
            events.record(self.api, self.node, "Normal", "CertificateRenewed", "%s: %s" % (target, why), now)
