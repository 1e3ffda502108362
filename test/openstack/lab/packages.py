"""Debian's packages. Only the libraries: the packages with the daemons ask questions, bring libvirt and start services."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import place

needed = [
    "python3-keystone",
    "python3-glance",
    "python3-nova",
    "python3-neutron",
    "python3-cinder",
    "python3-placement",
    "python3-octavia",
    "rabbitmq-server",
    "mariadb-server",
]
# unpacked for a few of their files, never installed
taken = {
    "nova-common": {"usr/share/nova-common/api-paste.ini": "nova.ini"},
    "neutron-common": {"usr/share/neutron-common/api-paste.ini": "neutron.ini"},
    "cinder-common": {
        "usr/share/cinder-common/api-paste.ini": "cinder.ini",
        "etc/cinder/resource_filters.json": "resource_filters.json",
    },
    "glance-common": {"usr/share/glance-common/glance-api-paste.ini": "glance.ini"},
}
no_start = Path("/usr/sbin/policy-rc.d")


def install():
    missing = [name for name in needed if not installed(name)]
    unpacked = all((place.paste / to).exists() for files in taken.values() for to in files.values())
    if missing or not unpacked:
        apt("apt-get", "update", "-qq")
    if missing:
        print("installing", *missing, flush=True)
        with services_stay_down():
            apt("apt-get", "install", "-y", "-qq", "--no-install-recommends", *speed, *missing)
    if not unpacked:
        unpack()


# a package that is half written after a loss of power is no loss here
speed = ("-o", "Dpkg::Options::=--force-unsafe-io", "-o", "Dpkg::Use-Pty=0")


def installed(name):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", name], capture_output=True, text=True)
    return done.stdout == "install ok installed"


def apt(*command, cwd=None):
    env = {**os.environ, "PATH": place.environment()["PATH"], "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("%s ended with %d:\n%s%s" % (" ".join(command), done.returncode, done.stdout[-4000:], done.stderr[-4000:]))


class services_stay_down:
    """Debian starts a service as it installs it; policy-rc.d forbids it. One that was there already says so itself."""

    def __enter__(self):
        self.ours = not no_start.exists()
        if self.ours:
            no_start.write_text("#!/bin/sh\nexit 101\n")
            no_start.chmod(0o755)

    def __exit__(self, *_):
        if self.ours:
            no_start.unlink()


def unpack():
    place.paste.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # apt's own user may not write there, and says so on stderr only
        apt("apt-get", "download", "-qq", *taken, cwd=folder)
        for package, files in taken.items():
            (archive,) = Path(folder).glob(f"{package}_*.deb")
            subprocess.run(["dpkg", "-x", archive, f"{folder}/x"], check=True)
            for path, to in files.items():
                shutil.copy(Path(folder, "x", path), place.paste / to)
