"""The Kubernetes API through whichever control plane answers: the own one first."""

import http.client

from api import Api, ApiError


class Through:
    def __init__(self, own, addresses, make=Api):
        """addresses(): of the other control planes."""
        self.own, self.addresses, self.make = own, addresses, make

    def call(self, method, path, body=None, kind="application/json"):
        """As Api.call. The next one is asked when one is away or says that it cannot; the last one's failure is raised."""
        try:
            return self.own.call(method, path, body, kind)
        except (OSError, ApiError, http.client.HTTPException) as cause:
            if isinstance(cause, ApiError) and cause.status < 500:
                raise
            last = cause
        for address in self.addresses():
            try:
                return self.make(address, self.own.port).call(method, path, body, kind)
            except (OSError, ApiError, http.client.HTTPException) as cause:
                if isinstance(cause, ApiError) and cause.status < 500:
                    raise
                last = cause
        raise last

    def get(self, path):
        return self.call("GET", path)
