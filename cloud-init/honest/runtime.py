"""containerd: its configuration and its unit."""

from honest.host import cgroup_v2, in_container, run, unit, write

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
