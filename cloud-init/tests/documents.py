"""Boot documents for the tests."""

import copy

CONTROL_PLANE = {
    "schema": 1,
    "epoch": 1,
    "cluster": {"name": "demo", "uid": "u-1"},
    "node": {"name": "demo-cp-a", "role": "control-plane", "pool": "cp", "release": "r1"},
    "version": "1.36.3",
    "endpoint": {"name": "api.demo.honest.internal", "port": 6443, "address": "10.0.0.10"},
    "address": "10.0.0.11",
    "network": {
        "pod_cidr": "10.244.0.0/16",
        "service_cidr": "10.96.0.0/16",
        "cluster_dns": "10.96.0.10",
        "cluster_domain": "cluster.local",
    },
    "members": {"demo-cp-a": "10.0.0.11", "demo-cp-b": "10.0.0.12"},
    "etcd": {"disk": "honest-disk-1", "number": 0},
    "ticket": {"cluster_uid": "u-1", "not_after": "2026-12-01T00:00:00Z"},
    "pki": {"ca_cert": "CA\n", "client_ca_cert": "CLIENT\n"},
    "join": None,
    "kubelet": {"taints": [], "labels": {}},
    "component_flags": {"kubelet.max-pods": "50", "kube-apiserver.v": "4", "etcd.quota-backend-bytes": "1000"},
    "cert_names": ["localhost"],
    "leaf_seconds": 86400,
    "mirror": {"binaries": None, "images": None, "ca": None},
    "runtime": {"pause": "3.10.2", "containerd": "2.3.7", "runc": "1.3.5", "cni": "1.9.1", "etcd": "3.6.16"},
}


def control_plane(**changes):
    return {**copy.deepcopy(CONTROL_PLANE), **changes}


def worker(**changes):
    doc = control_plane(
        node={"name": "demo-w-a-0", "role": "worker", "pool": "w", "release": "r2"}, address=None, members={}, etcd=None, ticket=None
    )
    return {**doc, "join": {"token": "abcdef.0123456789abcdef"}, **changes}
