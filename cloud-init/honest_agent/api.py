"""The Kubernetes API for the agent: JSON over mutual TLS, a new connection each time, so that a renewed certificate counts."""

import http.client
import json
import os
import ssl

CA = "/etc/kubernetes/pki/ca.crt"


class ApiError(Exception):
    def __init__(self, status, message):
        super().__init__("HTTP %d: %s" % (status, message))
        self.status = status


class Api:
    def __init__(self, host, port, cert=None):
        self.host, self.port = host, port
        self.cert = cert or os.environ["HONEST_CERT"]

    def call(self, method, path, body=None, kind="application/json"):
        """The answer's data; None for 404. Other statuses raise ApiError, a broken link OSError."""
        context = ssl.create_default_context(cafile=CA)
        context.load_cert_chain(self.cert)
        link = http.client.HTTPSConnection(self.host, self.port, timeout=10, context=context)
        try:
            data = None if body is None else json.dumps(body)
            link.request(method, path, data, {"content-type": kind, "accept": "application/json"})
            reply = link.getresponse()
            text = reply.read().decode()
        finally:
            link.close()
        if reply.status == 404:
            return None
        if reply.status >= 300:
            raise ApiError(reply.status, text[:300])
        return json.loads(text)

    def get(self, path):
        return self.call("GET", path)

    def note(self, node, metadata):
        """Writes annotations or labels on a Node. The Node as it is then, or None when there is none of that name."""
        return self.call("PATCH", "/api/v1/nodes/" + node, {"metadata": metadata}, "application/merge-patch+json")
