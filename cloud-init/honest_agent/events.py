"""Events of this machine's Node: what a person sees with kubectl get events."""

import http.client
import time

from api import ApiError

PATH = "/api/v1/namespaces/default/events"


def event(node, kind, reason, message, now, name=None):
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": dict({"name": name} if name else {"generateName": "honest-paas-"}, namespace="default"),
        "involvedObject": {"apiVersion": "v1", "kind": "Node", "name": node, "uid": node},
        "type": kind,
        "reason": reason,
        "message": message[:1000],
        "source": {"component": "honest-paas-agent", "host": node},
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
    }


def record(api, node, kind, reason, message, now, name=None):
    """kind: "Normal" or "Warning". name: for what several control planes see; the first one's event stands.

    An event that cannot be written stays in the agent's log; the work goes on.
    """
    print("%s: %s: %s" % (node, reason, message), flush=True)
    try:
        api.call("POST", PATH, event(node, kind, reason, message, now, name))
    except (OSError, ApiError, http.client.HTTPException) as cause:
        if name and getattr(cause, "status", None) == 409:
            return
        print("the event was not written: %s" % cause, flush=True)
