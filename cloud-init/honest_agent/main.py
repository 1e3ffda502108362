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
from availability import Availability, Endpoint  # noqa: E402
from backup import Backup  # noqa: E402
from distress import Distress  # noqa: E402
from heal import Healer  # noqa: E402
from keeper import Keeper, boot_stage_is_done  # noqa: E402
from observe import KUBELET  # noqa: E402
from policy import Policy  # noqa: E402
from trust import Trust  # noqa: E402

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


def metadata(doc, etcd_members, looked=None, more=None):
    """What this machine writes on its Node. etcd_members is None where nothing is known of etcd; `looked`: when it was asked.

    more: annotations of the duties.
    """
    notes = dict(more or {}, **{"honest-paas.dev/status": status_of(doc)})
    if etcd_members is not None:
        entry = {"members": etcd_members, "number": doc["etcd"]["number"], "at": looked or now()}
        notes["honest-paas.dev/etcd"] = json.dumps(entry, sort_keys=True)
    # a kubelet may not say this of itself, and a Node that registered again has lost it
    labels = {"node-role.kubernetes.io/control-plane": ""} if control_plane(doc) else {}
    return {"annotations": notes, "labels": labels}


def control_plane(doc):
    return doc["node"]["role"] == "control-plane"


def report(api, doc, node, registration, more=None):
    # of when it began to look: a silent member takes seconds to ask, and may be back by then
    looked = now()
    found = api.note(node, metadata(doc, etcd.members() if control_plane(doc) else None, looked, more))
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


def duties_of(api, doc, node, policy):
    """Each has round(now), which does at most one step and is cheap when there is nothing to do, and notes(): annotations.

    A round that takes longer than a few seconds would silence this machine's report: such work runs beside the agent.
    """
    measured = Availability(Endpoint(doc["endpoint"]["name"], doc["endpoint"]["port"]), Distress(control_plane(doc)).told)
    # a control plane's agent has a name of its own; for a kubelet's certificate it asks as the kubelet
    kubelets = Api(doc["endpoint"]["name"], doc["endpoint"]["port"], KUBELET + "/kubelet-client-current.pem")
    trust = Trust(api, doc, node, boot_stage_is_done, kubelets)
    duties = [trust, Keeper(api, doc, node, policy, trust), measured, Healer(api, doc, node, policy)]
    if control_plane(doc):
        duties.append(Backup(api, doc, node, policy))
    return duties


def attempt(what, work):
    """False when it failed by what comes from outside; the others' rounds go on."""
    try:
        work()
    except OUTSIDE as cause:
        print("%s failed: %s: %s" % (what, type(cause).__name__, cause), flush=True)
        return False
    return True


class Rounds:
    """What the agent does, one after another, for as long as it runs."""

    def __init__(self, api, doc, node):
        self.api, self.doc, self.node = api, doc, node
        self.told, self.reported, self.looked = {}, 0.0, 0.0
        self.spent, self.registration = finish(doc, node), kubelet.Registration(node)
        self.policy = Policy(api)
        self.duties = duties_of(api, doc, node, self.policy)

    def requests(self):
        if time.time() - self.looked < REQUEST_SECONDS:
            return
        self.looked = time.time()
        if answer(self.api, self.doc, self.node, self.spent):
            self.reported = 0.0

    def report(self):
        if time.time() - self.reported < REPORT_SECONDS:
            return
        more = {}
        for duty in self.duties:
            more.update(duty.notes())
        try:
            report(self.api, self.doc, self.node, self.registration, more)
        except OUTSIDE as cause:
            for duty in self.duties:
                if isinstance(duty, Healer):
                    duty.say_elsewhere(cause)
            raise
        self.reported = time.time()

    def once(self):
        steps = [(type(duty).__name__, lambda duty=duty: duty.round(time.time())) for duty in self.duties]
        steps.insert(0, ("policy", lambda: self.policy.read(time.time())))
        if control_plane(self.doc):
            steps.append(("requests", self.requests))
        steps.append(("report", self.report))
        if control_plane(self.doc):
            steps.append(("certificate requests", lambda: csr.round_of(self.api, now(), self.told)))
        return all([attempt(what, work) for what, work in steps])


def main():
    doc = read_json(STATE + "/boot.json")
    rounds = Rounds(Api(doc["endpoint"]["name"], doc["endpoint"]["port"]), doc, os.environ["HONEST_NODE"])
    while True:
        if not rounds.once():
            time.sleep(2)
        time.sleep(ROUND_SECONDS)


if __name__ == "__main__":
    main()
