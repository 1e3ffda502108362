"""kubelet's unit and configuration, the same for both roles."""

import re

from honest import runtime
from honest.document import control_plane, flags, node_name
from honest.host import PKI, in_container, machine_id, unit
from honest.prepare import RESOLV, own_address

CERTIFICATE = "/var/lib/kubelet/pki/kubelet-client-current.pem"
UNIT = """[Unit]
Description=kubelet
After=containerd.service
Wants=containerd.service
StartLimitIntervalSec=0

[Service]
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
ExecStart=/usr/local/bin/kubelet $KUBELET_KUBEADM_ARGS %s
Restart=always
RestartSec=2
"""


def configuration(doc):
    """KubeletConfiguration as data; JSON is YAML."""
    config = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": PKI + "/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "cgroupDriver": "systemd" if runtime.systemd_cgroups() else "cgroupfs",
        "clusterDNS": [doc["network"]["cluster_dns"]],
        "clusterDomain": doc["network"]["cluster_domain"],
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "failCgroupV1": False,
        "failSwapOn": False,
        "providerID": "honest://" + machine_id(),
        "resolvConf": RESOLV,
        "rotateCertificates": True,
        "serverTLSBootstrap": True,
        "staticPodPath": "/etc/kubernetes/manifests",
    }
    if in_container():
        config["featureGates"] = {"KubeletInUserNamespace": True}
        # the file system is the host's and shared by all its machines: parts of a hundred would make every node shed its
        # pods when a large disk is well filled, and images that no registry can give again would be collected
        little = {"imagefs.available": "256Mi", "nodefs.available": "256Mi", "nodefs.inodesFree": "1%"}
        config["evictionHard"] = {"memory.available": "100Mi", **little}
        config["imageGCHighThresholdPercent"] = 100
    return config


def taints(doc):
    """["key=value:Effect"] as kubelet's data."""
    found = []
    for text in doc["kubelet"].get("taints", []):
        pair, effect = text.rsplit(":", 1)
        key, _, value = pair.partition("=")
        found.append({"key": key, "effect": effect, **({"value": value} if value else {})})
    if control_plane(doc):
        found.append({"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"})
    return found


def own_labels(doc):
    """What a kubelet may say of itself; it ends at once over a reserved label. The membership writes those on the Node."""
    reserved = re.compile(r"(?!topology\.)([^/]*\.)?(kubernetes|k8s)\.io/")
    return {k: v for k, v in (doc["kubelet"].get("labels") or {}).items() if not reserved.match(k)}


def install(doc):
    args = {
        "bootstrap-kubeconfig": "/etc/kubernetes/bootstrap-kubelet.conf",
        "config": "/var/lib/kubelet/config.yaml",
        "hostname-override": node_name(doc),
        "kubeconfig": "/etc/kubernetes/kubelet.conf",
        "node-ip": own_address(doc),
    }
    labels = own_labels(doc)
    if labels:
        args["node-labels"] = ",".join("%s=%s" % pair for pair in sorted(labels.items()))
    args.update(flags(doc, "kubelet"))
    unit("kubelet", UNIT % " ".join("--%s=%s" % pair for pair in sorted(args.items())))
