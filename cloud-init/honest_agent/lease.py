"""One control plane at a time: a Lease in kube-system. Who does not renew it for a minute has lost it."""

import calendar
import http.client
import time

from api import ApiError

SECONDS = 60
BASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"


def micro(now):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(now))


def state(found, me, now):
    """{"mine", "holder"} of a Lease object; holder: somebody else who holds it now, or None."""
    spec = (found or {}).get("spec") or {}
    holder, renewed = spec.get("holderIdentity"), spec.get("renewTime")
    at = calendar.timegm(time.strptime(renewed[:19], "%Y-%m-%dT%H:%M:%S")) if renewed else 0
    if not holder or now - at > SECONDS:
        return {"mine": False, "holder": None}
    return {"mine": holder == me, "holder": None if holder == me else holder}


class Lease:
    def __init__(self, api, name, me):
        self.api, self.name, self.me = api, name, me
        self.until = 0.0

    def look(self, now):
        """{"known", "mine", "holder"}. While the API does not answer, what was taken is kept until its end."""
        try:
            found = state(self.api.get("%s/%s" % (BASE, self.name)), self.me, now)
        except (OSError, ApiError, ValueError, http.client.HTTPException) as cause:
            print("whose turn it is cannot be read: %s" % cause, flush=True)
            return {"known": False, "mine": self.until > now, "holder": None}
        if not found["mine"]:
            self.until = 0.0
        return dict(found, known=True)

    def take(self, now):
        """Takes it or stays on it. True when it is ours; two that try at once are told apart by the version."""
        path = "%s/%s" % (BASE, self.name)
        found = self.api.get(path)
        if state(found, self.me, now)["holder"]:
            return False
        mine = state(found, self.me, now)["mine"]
        spec = {"holderIdentity": self.me, "leaseDurationSeconds": SECONDS, "renewTime": micro(now)}
        spec["acquireTime"] = found["spec"]["acquireTime"] if mine else micro(now)
        try:
            self.write(found, spec)
        except ApiError as cause:
            if cause.status != 409:
                raise
            return False
        self.until = now + SECONDS
        return True

    def free(self):
        found = self.api.get("%s/%s" % (BASE, self.name))
        self.until = 0.0
        if found and (found.get("spec") or {}).get("holderIdentity") == self.me:
            self.write(found, {})

    def write(self, found, spec):
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": self.name, "namespace": "kube-system"}}
        if found is None:
            self.api.call("POST", BASE, dict(body, spec=spec))
        else:
            body["metadata"]["resourceVersion"] = found["metadata"]["resourceVersion"]
            self.api.call("PUT", "%s/%s" % (BASE, self.name), dict(body, spec=spec))
