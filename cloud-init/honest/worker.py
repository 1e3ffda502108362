"""A worker: trust, a token that is worth nothing until its grant is put into the API, and the kubelet."""

import json
import os
import ssl
import urllib.error
import urllib.request

from honest import kubelet
from honest.document import node_name
from honest.host import PKI, Waiting, lasts, run, write, write_json


def server(doc):
    return "https://%s:%d" % (doc["endpoint"]["name"], doc["endpoint"]["port"])


def trust(doc):
    write(PKI + "/ca.crt", doc["pki"]["ca_cert"])
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": server(doc), "certificate-authority": PKI + "/ca.crt"}}],
        "users": [{"name": "u", "user": {"token": doc["join"]["token"]}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    write("/etc/kubernetes/bootstrap-kubelet.conf", json.dumps(config), 0o600)


def certified():
    """A certificate that has ended, of a machine that was off for long, is none: kubelet asks anew with the token."""
    return lasts(kubelet.CERTIFICATE, 0)


def granted(doc):
    """Waits until the API takes this machine's token.

    A kubelet whose first request fails asks again after 2, 4, 8, 16, 32 seconds: started too early it would sleep through
    its grant, and be a load on a small host until then.
    """
    if certified():
        return
    asked = urllib.request.Request(server(doc) + "/api", headers={"Authorization": "Bearer " + doc["join"]["token"]})
    try:
        with urllib.request.urlopen(asked, timeout=5, context=ssl.create_default_context(cafile=PKI + "/ca.crt")):
            return
    except urllib.error.HTTPError as cause:
        why = "its token is not known there" if cause.code == 401 else "HTTP %d" % cause.code
    except OSError as cause:
        why = str(getattr(cause, "reason", cause))
    raise Waiting("%s asks to join at %s and waits for its grant: %s" % (node_name(doc), doc["endpoint"]["name"], why))


def start(doc):
    os.makedirs("/etc/kubernetes/manifests", exist_ok=True)
    config = kubelet.configuration(doc)
    if kubelet.taints(doc):
        config["registerWithTaints"] = kubelet.taints(doc)
    write_json("/var/lib/kubelet/config.yaml", config)
    kubelet.install(doc)
    run(["systemctl", "restart", "kubelet"])


def joined(doc):
    if not certified():
        raise Waiting("%s has its grant and waits for its certificate" % node_name(doc))
