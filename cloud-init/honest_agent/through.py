"""The Kubernetes API through whichever control plane answers: the own one first."""

import http.client

from api import Api, ApiError


def away(cause):
    """Whether another API server may do what this one did not. One that came up without its etcd has no roles yet: it says 403."""
    return not isinstance(cause, ApiError) or cause.status >= 500 or cause.status in (401, 403)


class Through(Api):
    def __init__(self, own, addresses, make=Api):
        """addresses(): of the other control planes."""
        self.own, self.addresses, self.make = own, addresses, make

    def call(self, method, path, body=None, kind="application/json"):
        """As Api.call. The next one is asked when one is away or says that it cannot; the last one's failure is raised."""
        try:
            return self.own.call(method, path, body, kind)
        except (OSError, ApiError, http.client.HTTPException) as cause:
            if not away(cause):
                raise
            last = cause
        return self.elsewhere(last, method, path, body, kind)

    def elsewhere(self, last, method, path, body=None, kind="application/json"):
        """The others alone; `last` is raised when there are none."""
        for address in self.addresses():
            try:
                return self.make(address, self.own.port).call(method, path, body, kind)
            except (OSError, ApiError, http.client.HTTPException) as cause:
                if not away(cause):
                    raise
                last = cause
        raise last

    def note_elsewhere(self, last, node, annotations):
        path, kind = "/api/v1/nodes/" + node, "application/merge-patch+json"
        return self.elsewhere(last, "PATCH", path, {"metadata": {"annotations": annotations}}, kind)
