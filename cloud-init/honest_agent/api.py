"""The Kubernetes API for the agent: JSON over mutual TLS."""

import json
import os

from link import Link

CA = "/etc/kubernetes/pki/ca.crt"


class ApiError(Exception):
    def __init__(self, status, message):
        super().__init__("HTTP %d: %s" % (status, message))
        self.status = status


class Api:
    def __init__(self, host, port, cert=None):
        self.port = port
        self.link = Link(host, port, (CA, cert or os.environ["HONEST_CERT"], None))

    def call(self, method, path, body=None, kind="application/json"):
        """The answer's data; None for 404. Other statuses raise ApiError, a broken link OSError or HTTPException."""
        data = None if body is None else json.dumps(body)
        status, answer = self.link.send(method, path, data, {"content-type": kind, "accept": "application/json"})
        text = answer.decode()
        if status == 404:
            return None
        if status >= 300:
            raise ApiError(status, text[:300])
        return json.loads(text)

    def get(self, path):
        return self.call("GET", path)

    def note(self, node, metadata):
        """Writes annotations or labels on a Node. The Node as it is then, or None when there is none of that name."""
        return self.call("PATCH", "/api/v1/nodes/" + node, {"metadata": metadata}, "application/merge-patch+json")
