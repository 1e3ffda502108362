"""Fills empty databases: as each project's own tool does it, four chains at a time."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from . import daemons, place, processes


def manage(path, name, *arguments):
    return daemons.module(path, "--config-file", daemons.file(name), *arguments)


def keystone(*arguments):
    return manage("keystone.cmd.manage", "keystone", *arguments)


def nova(*arguments):
    return manage("nova.cmd.manage", "nova", *arguments)


def chains():
    endpoint = f"{place.url('keystone')}/v3"
    owner = ("--keystone-user", "root", "--keystone-group", "root")
    urls = [word for kind in ("public", "internal", "admin") for word in (f"--bootstrap-{kind}-url", endpoint)]
    return {
        "sync-keystone": [
            keystone("fernet_setup", *owner),
            keystone("credential_setup", *owner),
            keystone("db_sync"),
            keystone("bootstrap", "--bootstrap-password", place.PASSWORD, "--bootstrap-region-id", place.REGION, *urls),
        ],
        "sync-neutron": [manage("neutron.db.migration.cli", "neutron", "upgrade", "heads")],
        "sync-nova": [
            nova("api_db", "sync"),
            nova("cell_v2", "map_cell0"),
            nova("db", "sync"),
            nova("cell_v2", "create_cell", "--name", "cell1"),
        ],
        "sync-rest": [
            manage("cinder.cmd.manage", "cinder", "db", "sync"),
            manage("octavia.db.migration.cli", "octavia", "upgrade", "head"),
            manage("glance.cmd.manage", "glance", "db_sync"),
            manage("placement.cmd.manage", "placement", "db", "sync"),
        ],
    }


def fill():
    for name in ("fernet", "credential"):
        shutil.rmtree(place.state / name, ignore_errors=True)
        (place.state / name).mkdir(mode=0o700)
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(processes.run, name, *commands) for name, commands in chains().items()]:
            done.result()


def find_hypervisors():
    processes.run("discover-hosts", nova("cell_v2", "discover_hosts"))


def make_authority():
    """Octavia signs with it."""
    folder = place.state / "certs"
    if (folder / "ca.pem").exists():
        return
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-passout", f"pass:{place.PASSWORD}", "-days", "3650", "-subj", "/CN=lab"]
    subprocess.run([*request, "-keyout", folder / "ca.key", "-out", folder / "ca.pem"], check=True, capture_output=True)
