"""What a machine says on its console while it cannot reach the API: then it has no other voice. Judging is pure.

One line, said when its words are new and every ten minutes: "honest: distress: api=...; etcd=...; ...". A person reads it in
the cloud's console of the machine, honest-paas doctor reads it where it can.
"""

import os
import subprocess
import threading
import time

import etcd
import observe
from availability import stamp

ETCD_DISK = "/var/lib/honest-paas/etcd-disk"
AFTER_SECONDS = 30
LOOK_SECONDS = 30
AGAIN_SECONDS = 600


def full(path):
    """Percent in use of the file system at that path, of blocks or of inodes, whichever is more; None when it is not there."""
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    shares = [(total, free) for total, free in ((found.f_blocks, found.f_bavail), (found.f_files, found.f_favail)) if total]
    return max([100 - 100 * free // total for total, free in shares] or [0])


def unit(name):
    """ "active", "failed", "inactive", "activating", or "unknown"."""
    done = subprocess.run(["systemctl", "is-active", name], capture_output=True, text=True, timeout=10, check=False)
    return done.stdout.strip() or "unknown"


def etcd_words():
    """How etcd is here: its unit's state, or how many of its members answer."""
    state = unit("honest-etcd")
    if state != "active":
        return state
    members = etcd.members()
    if members is None:
        return "active, no answer"
    return "active, %d of %d members answer" % (len([m for m in members if m["answers"]]), len(members))


def certificate_words(control_plane, now):
    """ "valid", or which of this machine's certificates have ended: on a control plane the kit's, else the kubelet's."""
    paths = {"kubelet-client": observe.KUBELET + "/kubelet-client-current.pem"}
    if control_plane:
        paths.update({name: "%s/%s.crt" % (observe.PKI, path) for name, (path, _) in observe.FILES.items()})
    ends = {name: observe.on_disk(path)["ends"] for name, path in paths.items()}
    ended = sorted(name for name, end in ends.items() if end is not None and end <= now)
    return "ended: " + ", ".join(ended) if ended else "valid"


def seen(control_plane):
    """[(what, words)], without the time, which changes at every look."""
    found = [("disk /", full("/"))]
    if control_plane:
        # what is written below a mount point that is empty would land on the other disk
        found = [("etcd", etcd_words()), ("disk etcd", full(ETCD_DISK) if os.path.ismount(ETCD_DISK) else "not mounted"), *found]
    found += [
        ("kubelet", unit("kubelet")),
        ("containerd", unit("containerd")),
        ("certificates", certificate_words(control_plane, time.time())),
    ]
    return [(what, "%d%%" % words if isinstance(words, int) else words or "not there") for what, words in found]


def line(why, down, now, found):
    """now: the machine's own clock, so that a wrong one is seen."""
    parts = ["api=does not answer since %s (%s)" % (stamp(down), why)] + ["%s=%s" % pair for pair in found]
    return "honest: distress: %s; clock=%s" % ("; ".join(" ".join(part.split()) for part in parts), stamp(now))


def console(text):
    print(text, flush=True)
    try:
        with open("/dev/console", "w", encoding="utf-8") as f:
            f.write(text + "\n")
    except OSError as cause:
        print("no console: %s" % cause, flush=True)


class Distress:
    def __init__(self, control_plane):
        self.control_plane, self.found, self.said, self.looked, self.thread = control_plane, None, 0.0, 0.0, None

    def told(self, state):
        """After each probe of the API. Looking takes seconds when much is wrong, and the prober keeps its pace."""
        now = time.time()
        if self.thread is not None and self.thread.is_alive():
            return
        if state["down"] is None:
            if self.found is not None:
                self.found = None
                console("honest: distress: over; api=answers; clock=%s" % stamp(now))
            return
        if now - state["down"] < AFTER_SECONDS or 0 <= now - self.looked < LOOK_SECONDS:
            return
        self.looked = now
        self.thread = threading.Thread(target=self.look, args=(state,), name="distress", daemon=True)
        self.thread.start()

    def look(self, state):
        now, found = time.time(), seen(self.control_plane)
        if found != self.found or not 0 <= now - self.said < AGAIN_SECONDS:
            self.found, self.said = found, now
            console(line(state["why"], state["down"], now, found))
