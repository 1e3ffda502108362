"""Restarts the kubelet when its Node is gone though the membership stands: a kubelet registers when it starts, never again.

Who was let go on purpose stays away. The provider lists the addresses of every member where no node can write, and takes a
node off that list when it forgets it; while it empties a node, a mark on the Node says so.
"""

import re
import subprocess
import time

LISTED = "/api/v1/namespaces/kube-system/configmaps/honest-paas-addresses"
DRAINING = "honest-paas.dev/draining"
# between the delete of a Node and the change of the list
SETTLE_SECONDS = 20
# a kubelet that has just started may be about to register; so there is no second restart within this time either
QUIET_SECONDS = 180


def why_not(listed, gone, running, draining):
    """Why the kubelet is left alone although its Node is gone, or None when it is to be restarted.

    listed    a membership names this node
    gone      seconds for which the Node has been missed
    running   seconds for which the kubelet has been running, or None when it does not run
    draining  seconds since the Node was last seen with the mark of a node that is being emptied, or None
    """
    if running is None:
        return "the kubelet does not run"
    if not listed:
        return "no membership names this node, it was let go"
    if draining is not None and draining < QUIET_SECONDS:
        return "it was being emptied"
    if gone < SETTLE_SECONDS:
        return "the membership may just be letting it go"
    if running < QUIET_SECONDS:
        return "the kubelet started less than %d s ago and may be about to register" % QUIET_SECONDS
    return None


def running_seconds():
    """How long the kubelet has been running, or None."""
    argv = ["systemctl", "show", "kubelet", "-p", "ActiveState", "-p", "ActiveEnterTimestampMonotonic"]
    shown = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=True).stdout
    entered = re.search(r"Monotonic=(\d+)", shown)
    if "ActiveState=active\n" not in shown or not entered:
        return None
    return time.monotonic() - int(entered.group(1)) / 1e6


def restart():
    # try: one that was stopped on purpose stays stopped
    subprocess.run(["systemctl", "try-restart", "kubelet"], timeout=120, check=True)


class Registration:
    """What is known of this machine's Node from one report to the next."""

    def __init__(self, node):
        self.node, self.gone_at, self.draining_at, self.told = node, None, None, None

    def seen(self, annotations):
        self.gone_at, self.told = None, None
        if DRAINING in annotations:
            self.draining_at = time.monotonic()

    def missed(self, api):
        """The Node is gone: restarts the kubelet when it should register again. True when it did."""
        now = time.monotonic()
        self.gone_at = now if self.gone_at is None else self.gone_at
        listed = self.node in ((api.get(LISTED) or {}).get("data") or {})
        draining = None if self.draining_at is None else now - self.draining_at
        why = why_not(listed, now - self.gone_at, running_seconds(), draining)
        text = "the Node %s is gone: %s" % (self.node, why or "the kubelet is restarted, so that it registers again")
        if self.told != text:
            self.told = text
            print(text, flush=True)
        if why is None:
            restart()
        return why is None
