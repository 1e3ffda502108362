"""The agent: says what this machine is and how it is, and on control planes decides about certificate requests."""

import http.client
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import csr  # noqa: E402
import etcd  # noqa: E402
from api import Api, ApiError  # noqa: E402

STATE = "/var/lib/honest-paas"
REPORT_SECONDS = 15
ROUND_SECONDS = 1


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def read_json(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def booted_at():
    """When this machine began: PID 1's start, which in a container is the container's and not the host's."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(os.stat("/proc/1").st_ctime))


def report(api, doc, node):
    marker = read_json(STATE + "/marker.json")
    status = {
        "machine_id": marker["machine_id"],
        "release": doc["node"]["release"],
        "booted_at": booted_at(),
        "stage": marker["stage"] if marker["ok"] else "%s: %s" % (marker["stage"], marker["reason"][:200]),
        "agent": os.environ.get("HONEST_AGENT", ""),
        "at": now(),
    }
    notes = {"honest-paas.dev/status": json.dumps(status, sort_keys=True)}
    if doc["node"]["role"] == "control-plane":
        seen = etcd.members()
        if seen is not None:
            entry = {"members": seen, "number": doc["etcd"]["number"], "at": now()}
            notes["honest-paas.dev/etcd"] = json.dumps(entry, sort_keys=True)
    found = api.annotate(node, notes)
    annotations = (found or {}).get("metadata", {}).get("annotations", {})
    asked = annotations.get("honest-paas.dev/leave")
    if asked and asked == annotations.get("honest-paas.dev/gen") and doc["node"]["role"] == "control-plane":
        print("leaving etcd: %s" % etcd.leave(node), flush=True)


def main():
    doc = read_json(STATE + "/boot.json")
    node = os.environ["HONEST_NODE"]
    api = Api(doc["endpoint"]["name"], doc["endpoint"]["port"])
    told, reported = {}, 0.0
    while True:
        try:
            if time.time() - reported >= REPORT_SECONDS:
                report(api, doc, node)
                reported = time.time()
            if doc["node"]["role"] == "control-plane":
                csr.round_of(api, now(), told)
        except (OSError, ApiError, ValueError, KeyError, http.client.HTTPException) as cause:
            print("a round failed: %s" % cause, flush=True)
            time.sleep(2)
        time.sleep(ROUND_SECONDS)


if __name__ == "__main__":
    main()
