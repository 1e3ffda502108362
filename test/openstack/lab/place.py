"""Where the lab lives: its folder, its address, its ports and passwords. Nothing else knows paths."""

import os
from pathlib import Path

# the services are Debian's, so is the Python that has them
PYTHON = "/usr/bin/python3"
PASSWORD = "secret"
REGION = "RegionOne"
# each zone is one hypervisor and one store of volumes
ZONES = ("a", "b", "c")
DATABASE_PORT = 13306
RABBIT_PORT = 5672

cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "honest-paas"
root = Path(os.environ.get("HONEST_OPENSTACK_DIR") or cache / "openstack")
# not 127.0.0.1: nobody else's 5000 or 8774 is in the way
address = os.environ.get("HONEST_OPENSTACK_ADDRESS") or "127.0.0.9"

settings = root / "etc"
logs = root / "log"
pids = root / "pid"
state = root / "state"
paste = root / "paste"
here = Path(__file__).resolve().parent.parent
seeded = state / "seeded"

ports = {
    "keystone": 5000,
    "placement": 8778,
    "glance": 9292,
    "neutron": 9696,
    "nova-api": 8774,
    "cinder-api": 8776,
    "octavia-api": 9876,
}

rabbit = f"rabbit://guest:guest@{address}:{RABBIT_PORT}/"


def url(service):
    return f"http://{address}:{ports[service]}"


def database(name):
    return f"mysql+pymysql://os:{PASSWORD}@{address}:{DATABASE_PORT}/{name}?charset=utf8"


def environment():
    """For everything that the lab runs. Another Python first in PATH has none of the packages."""
    kept = {name: os.environ[name] for name in ("HOME", "TERM") if name in os.environ}
    return {
        **kept,
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": f"{here}:{here}/plugins",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "ignore",
        # by file: the folder alone is ignored by keystone's WSGI module, which then runs on its defaults without a word
        "OS_KEYSTONE_CONFIG_FILES": str(settings / "keystone.conf"),
        "OS_PLACEMENT_CONFIG_DIR": str(settings),
        "OS_CLIENT_CONFIG_FILE": str(settings / "clouds.yaml"),
    }
