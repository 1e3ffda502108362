"""containerd: its configuration and its unit; and the programs of an image that has them all."""

import os

from honest.host import StageError, cgroup_v2, in_container, run, unit, write

UNIT = """[Unit]
Description=containerd
After=network.target

[Service]
Type=notify
ExecStart=/usr/local/bin/containerd
Delegate=yes
KillMode=process
Restart=always
RestartSec=2
LimitNOFILE=1048576
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
"""

CONFIG = """version = 3
[plugins.'io.containerd.cri.v1.images']
discard_unpacked_layers = true
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = 'registry.k8s.io/pause:%s'
[plugins.'io.containerd.cri.v1.images'.registry]
config_path = '/etc/containerd/certs.d'
[plugins.'io.containerd.cri.v1.runtime']
restrict_oom_score_adj = %s
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
SystemdCgroup = %s
"""


def systemd_cgroups():
    return cgroup_v2() and not in_container()


def programs(doc):
    """Without a mirror of binaries nothing can be fetched: what is not in the image is said."""
    names = ["kubeadm", "kubectl", "kubelet", "containerd", "runc"] + (["etcd", "etcdctl", "etcdutl"] if doc["etcd"] else [])
    missing = [name for name in names if not os.path.exists("/usr/local/bin/" + name)]
    if not missing and run(["kubelet", "--version"]).strip() != "Kubernetes v" + doc["version"]:
        missing = ["kubelet " + doc["version"]]
    if missing:
        words = "%s is not in the machine image, and the spec names no mirror.binaries to fetch it from"
        raise StageError(words % ", ".join(missing))


def containerd(doc):
    lower = lambda flag: "true" if flag else "false"  # noqa: E731
    write("/etc/containerd/config.toml", CONFIG % (doc["runtime"]["pause"], lower(in_container()), lower(systemd_cgroups())))
    images = doc["mirror"].get("images")
    if images:
        ca = doc["mirror"].get("ca")
        if ca:
            write("/etc/containerd/mirror-ca.pem", ca)
        text = '[host."%s"]\n  capabilities = ["pull", "resolve"]\n%s' % (images, '  ca = "/etc/containerd/mirror-ca.pem"\n' if ca else "")
        write("/etc/containerd/certs.d/_default/hosts.toml", text)
    unit("containerd", UNIT if not in_container() else UNIT.replace("OOMScoreAdjust=-999\n", ""))
    run(["systemctl", "enable", "--quiet", "containerd"])
    run(["systemctl", "restart" if in_container() else "start", "containerd"])
