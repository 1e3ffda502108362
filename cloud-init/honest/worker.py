"""A worker: trust, a token that is worth nothing until its grant is put into the API, and the kubelet."""

import json
import os

from honest import kubelet
from honest.document import node_name
from honest.host import PKI, Waiting, run, write, write_json


def trust(doc):
    write(PKI + "/ca.crt", doc["pki"]["ca_cert"])
    server = "https://%s:%d" % (doc["endpoint"]["name"], doc["endpoint"]["port"])
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": server, "certificate-authority": PKI + "/ca.crt"}}],
        "users": [{"name": "u", "user": {"token": doc["join"]["token"]}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    write("/etc/kubernetes/bootstrap-kubelet.conf", json.dumps(config), 0o600)


def start(doc):
    os.makedirs("/etc/kubernetes/manifests", exist_ok=True)
    config = kubelet.configuration(doc)
    if kubelet.taints(doc):
        config["registerWithTaints"] = kubelet.taints(doc)
    write_json("/var/lib/kubelet/config.yaml", config)
    kubelet.install(doc)
    run(["systemctl", "restart", "kubelet"])


def joined(doc):
    if not os.path.exists(kubelet.CERTIFICATE):
        raise Waiting("%s asks to join at %s and waits for its grant" % (node_name(doc), doc["endpoint"]["name"]))
