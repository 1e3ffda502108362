"""Takes this control plane out of service before its machine goes, says so through another one, and comes back when it was
for nothing."""

import http.client
import json
import os
import subprocess
import time

import asked
import etcd
import job
from api import Api, ApiError

MOUNT = "/var/lib/honest-paas/etcd-disk"
# while it exists nothing on this machine may start kubelet or etcd; gone after a reboot
RETIRED = "/run/honest-retired.json"
COMPONENTS = "^kube-(apiserver|controller-manager|scheduler)$"
# a machine that still runs after that is not being replaced: it serves again
PATIENCE_SECONDS = 300
POLL_SECONDS = 3
REPORT_SECONDS = 15


def program(*argv, timeout=60):
    """Why it failed, or None."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout, check=False)
    except (OSError, subprocess.TimeoutExpired) as cause:
        return "%s: %s" % (argv[0], cause)
    said = (done.stderr or done.stdout).strip().splitlines()[-1:]
    return None if done.returncode == 0 else "%s ended with %d: %s" % (" ".join(argv[:3]), done.returncode, "".join(said))


def stop_components():
    """The API server fails /readyz first and serves until balancers have seen it (its shutdown delay)."""
    listed = subprocess.run(["crictl", "ps", "-q", "--name", COMPONENTS], capture_output=True, text=True, timeout=20, check=False)
    ids = listed.stdout.split()
    return program("crictl", "stop", "--timeout", "20", *ids, timeout=90) if ids else None


def unmount(tries=10):
    why = None
    for _ in range(tries):
        if not os.path.ismount(MOUNT):
            return None
        why = program("umount", MOUNT)
        time.sleep(0.3)
    return why if os.path.ismount(MOUNT) else None


def stop():
    """Everything off in order; what could not be done, in words."""
    # kubelet first: it would start again what is stopped
    steps = (
        # a snapshot under way would keep the disk in use
        job.end_all,
        lambda: program("systemctl", "stop", "kubelet"),
        stop_components,
        lambda: program("systemctl", "stop", "honest-etcd"),
        unmount,
    )
    problems = []
    for step in steps:
        try:
            problems.append(step())
        except (OSError, subprocess.SubprocessError) as cause:
            # the others follow all the same, and nobody takes the machine for one that has stopped cleanly
            problems.append("%s: %s" % (type(cause).__name__, cause))
    return [why for why in problems if why]


def resume():
    """The boot stage brings back what it finds stopped: disk, etcd, kubelet."""
    os.remove(RETIRED)
    return program("systemctl", "restart", "--no-block", "honest-boot")


def through(addresses, port, work):
    """The answer of the first other API server that gives one, or None when none does."""
    for address in addresses:
        try:
            return work(Api(address, port))
        except (OSError, ApiError, ValueError, http.client.HTTPException) as cause:
            print("not through %s: %s" % (address, cause), flush=True)
    return None


def begin(request, node):
    """Leadership goes to another; of a node that leaves, the member too. The other members' addresses, or None: not now."""
    others = etcd.addresses(node)
    if request["do"] == "leave" and not etcd.leave(node):
        return None
    if request["do"] == "retire":
        etcd.hand_over(node)
    return others


def wait(state, node, machine, port, status, clock=time.time, sleep=time.sleep):
    """Reports and looks whether the request still stands; ends when it does not, or when nobody came for the machine."""
    # a single control plane is left, if any, when its machine goes: there is nobody to ask
    told = None
    while clock() - state["since"] < PATIENCE_SECONDS:
        if told is None or clock() - told >= REPORT_SECONDS:
            answer = {"at": state["at"], "problems": state["problems"]}
            notes = {"honest-paas.dev/retired": json.dumps(answer, sort_keys=True), "honest-paas.dev/status": status("retired")}
            through(state["others"], port, lambda api, said=notes: api.note(node, {"annotations": said}) or {})
            told = clock()
        found = through(state["others"], port, asked.read)
        if found is not None and (asked.mine(found, node, machine) or {}).get("at") != state["at"]:
            print("no longer asked to stay out of service", flush=True)
            return
        sleep(POLL_SECONDS)
    print("nobody came for this machine in %d s: it serves again" % PATIENCE_SECONDS, flush=True)


def recorded():
    """What an agent before this one had begun, or None."""
    if not os.path.exists(RETIRED):
        return None
    with open(RETIRED, encoding="utf-8") as f:
        return json.load(f)


def record(state):
    with open(RETIRED + ".part", "w", encoding="utf-8") as f:
        json.dump(state, f)
    os.rename(RETIRED + ".part", RETIRED)


def run(request, node, machine, port, status):
    """From the request to the end of the machine, or to its return. The request's time when it was acted on, else None."""
    state = recorded()
    if state is None:
        others = begin(request, node)
        if others is None:
            return None
        print("going out of service (%s)" % request["do"], flush=True)
        state = {"at": request["at"], "others": others, "since": time.time(), "problems": []}
        record(state)
        state["problems"] = stop()
        record(state)
    wait(state, node, machine, port, status)
    print("back into service: %s" % (resume() or "ok"), flush=True)
    return state["at"]
