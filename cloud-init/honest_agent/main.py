"""The agent: says what this machine is and how it is, and on control planes decides about certificate requests."""

import http.client
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import asked  # noqa: E402
import csr  # noqa: E402
import etcd  # noqa: E402
import kubelet  # noqa: E402
import retire  # noqa: E402
from api import Api, ApiError  # noqa: E402
from keeper import Keeper  # noqa: E402

STATE = "/var/lib/honest-paas"
REPORT_SECONDS = 15
ROUND_SECONDS = 1
REQUEST_SECONDS = 3


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def read_json(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def booted_at():
    """When this machine began: PID 1's start, which in a container is the container's and not the host's."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(os.stat("/proc/1").st_ctime))


def status_of(doc, stage=None):
    """The text of the status annotation; `stage` instead of what the boot stage's marker says."""
    marker = read_json(STATE + "/marker.json")
    status = {
        "machine_id": marker["machine_id"],
        "release": doc["node"]["release"],
        "booted_at": booted_at(),
        "stage": stage or (marker["stage"] if marker["ok"] else "%s: %s" % (marker["stage"], marker["reason"][:200])),
        "agent": os.environ.get("HONEST_AGENT", ""),
        "at": now(),
    }
    return json.dumps(status, sort_keys=True)


def metadata(doc, etcd_members, looked=None, certificates=None):
    """What this machine writes on its Node. etcd_members is None where nothing is known of etcd; `looked`: when it was asked."""
    notes = {"honest-paas.dev/status": status_of(doc)}
    if etcd_members is not None:
        entry = {"members": etcd_members, "number": doc["etcd"]["number"], "at": looked or now()}
        notes["honest-paas.dev/etcd"] = json.dumps(entry, sort_keys=True)
    if certificates:
        notes["honest-paas.dev/certificates"] = certificates
    # a kubelet may not say this of itself, and a Node that registered again has lost it
    labels = {"node-role.kubernetes.io/control-plane": ""} if control_plane(doc) else {}
    return {"annotations": notes, "labels": labels}


def control_plane(doc):
    return doc["node"]["role"] == "control-plane"


def report(api, doc, node, registration, certificates=None):
    # of when it began to look: a silent member takes seconds to ask, and may be back by then
    looked = now()
    found = api.note(node, metadata(doc, etcd.members() if control_plane(doc) else None, looked, certificates))
    if found is None:
        registration.missed(api)
        return
    registration.seen(found["metadata"].get("annotations", {}))


def answer(api, doc, node, spent):
    """Does what the provider asks. True when etcd's members are others now, which is reported at once."""
    found = asked.read(api)
    machine = read_json(STATE + "/marker.json")["machine_id"]
    mine = asked.mine(found, node, machine)
    if mine and mine["at"] not in spent:
        spent.add(retire.run(mine, node, machine, doc["endpoint"]["port"], lambda stage: status_of(doc, stage)))
        return True
    if not any(request["do"] == "leave" for request in found.values()):
        return False
    return any([etcd.remove(member) for member in asked.to_remove(found, node, etcd.members() or [])])


def finish(doc, node):
    """What an agent before this one had begun on this machine."""
    state = retire.recorded()
    if state is None:
        return set()
    machine = read_json(STATE + "/marker.json")["machine_id"]
    return {retire.run(None, node, machine, doc["endpoint"]["port"], lambda stage: status_of(doc, stage))}


# what comes from outside: a round is lost, the agent goes on. Anything else is a fault of the agent, and ends it
OUTSIDE = (OSError, ApiError, ValueError, KeyError, http.client.HTTPException, subprocess.SubprocessError)


def main():
    doc = read_json(STATE + "/boot.json")
    node = os.environ["HONEST_NODE"]
    api = Api(doc["endpoint"]["name"], doc["endpoint"]["port"])
    told, reported, looked, spent = {}, 0.0, 0.0, finish(doc, node)
    registration, keeper = kubelet.Registration(node), Keeper(api, doc, node)
    while True:
        try:
            keeper.round(time.time())
            if control_plane(doc) and time.time() - looked >= REQUEST_SECONDS:
                looked = time.time()
                if answer(api, doc, node, spent):
                    reported = 0.0
            if time.time() - reported >= REPORT_SECONDS:
                report(api, doc, node, registration, keeper.text)
                reported = time.time()
            if control_plane(doc):
                csr.round_of(api, now(), told)
        except OUTSIDE as cause:
            print("a round failed: %s: %s" % (type(cause).__name__, cause), flush=True)
            time.sleep(2)
        time.sleep(ROUND_SECONDS)


if __name__ == "__main__":
    main()
