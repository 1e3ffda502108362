"""What the provider asks about control planes, in a ConfigMap that no node can write. Judging is pure.

A request names its machine and its member of etcd, so that a successor of the same name is never meant.
"""

import json

PATH = "/api/v1/namespaces/kube-system/configmaps/honest-paas-requests"
# no name of a node: a request for a snapshot is not about one machine's end
SNAPSHOT = "_snapshot"
# as the last reading had it: the requests are read once for all duties
latest = {}


def read(api):
    """{node: {"do", "machine_id", "member_id", "at"}}; what does not parse is no request."""
    found = (api.get(PATH) or {}).get("data") or {}
    requests = {}
    for node, text in found.items():
        try:
            request = json.loads(text)
        except ValueError:
            continue
        if isinstance(request, dict) and request.get("do") in ("retire", "leave", "snapshot") and request.get("at"):
            requests[node] = request
    latest.clear()
    latest.update(requests)
    return requests


def snapshot():
    """{"at", "node"}: the snapshot that is asked for now and who takes it, or None."""
    request = latest.get(SNAPSHOT)
    return request if request and request["do"] == "snapshot" else None


def mine(requests, node, machine):
    """The request about this very machine, or None."""
    request = requests.get(node)
    return request if request and request.get("machine_id") == machine else None


def to_remove(requests, node, seen):
    """Member ids of dead members that leave for good and that this node takes out of etcd: one at most.

    seen: members as this node sees them, [{name, id, learner, answers}]. The first by name that answers speaks for all. A
    member goes only when a majority of the voters that stay answers. Whether its machine is gone or merely off does not
    matter: it was asked to leave for good, and a member that was removed can do nothing alone.
    """
    voters = [m["name"] for m in seen if m["answers"] and not m["learner"]]
    if not voters or node != min(voters):
        return []
    for name in sorted(requests):
        request = requests[name]
        dead = [m for m in seen if m["name"] == name and not m["answers"] and m["id"] == request.get("member_id")]
        if name == node or request["do"] != "leave" or not dead:
            continue
        rest = [m for m in seen if m["name"] != name and not m["learner"]]
        if 2 * len([m for m in rest if m["answers"]]) > len(rest):
            return [dead[0]["id"]]
    return []
