"""cloud-init module "honest": starts the boot stage of a Kubernetes machine.

Frequency is "always": a module that runs once per instance is marked as run before it runs, so a failed first boot would
never be tried again. What was done is known from the boot stage's own marker.
"""

import json
import os
import subprocess

meta = {"id": "cc_honest", "frequency": "always", "distros": ["all"], "activate_by_schema_keys": []}

STATE = "/var/lib/honest-paas"
UNIT = """[Unit]
Description=Honest PaaS: %s
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=%s
Environment=PYTHONPATH=/usr/lib/honest-paas PYTHONDONTWRITEBYTECODE=1
ExecStart=/usr/bin/python3 -m honest %s
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
"""
# name of the unit: what it is, systemd's type, module. The boot stage is no oneshot: from the second boot on systemd starts
# it, and the multi-user target, which cloud-init's last stage comes after, would wait for a disk that is late
UNITS = {
    "honest-boot": ("boot stage", "simple\nRemainAfterExit=yes", "boot"),
    "honest-peer": ("answers to the other control planes", "simple", "peer"),
    "honest-agent": ("agent", "simple", "loader"),
}


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as f:
        f.write(text)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def instance_id(cloud):
    found = cloud.get_instance_id() if cloud is not None and hasattr(cloud, "get_instance_id") else None
    return str(found or read("/var/lib/cloud/data/instance-id").strip())


def record_instance(cloud):
    """The machine's id stays what it was at the first boot: without its seed, cloud-init makes one up at a later one."""
    path = STATE + "/instance-id"
    if not os.path.exists(path):
        write(path, instance_id(cloud) + "\n")


def install_units():
    for name, words in UNITS.items():
        write("/etc/systemd/system/%s.service" % name, UNIT % words)
    subprocess.run(["systemctl", "daemon-reload"], check=True)


def start_units(role):
    names = [n for n in UNITS if n != "honest-peer" or role == "control-plane"]
    subprocess.run(["systemctl", "enable", "--quiet"] + names, check=True)
    # never wait here: a unit ordered after cloud-init would dead-lock, and a slow disk would hold up cloud-init's status
    subprocess.run(["systemctl", "start", "--no-block"] + names, check=True)


def handle(*args, **kwargs):
    cloud = kwargs.get("cloud") or (args[2] if len(args) > 2 else None)
    if not os.path.exists(STATE + "/boot.json"):
        raise RuntimeError("honest: user-data brought no boot document to %s/boot.json" % STATE)
    document = json.loads(read(STATE + "/boot.json"))
    record_instance(cloud)
    install_units()
    start_units(document["node"]["role"])
