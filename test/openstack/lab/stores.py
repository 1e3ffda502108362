"""MariaDB and RabbitMQ, each a program of the lab's own, with its own folder, account and log."""

import os
import shutil
import socket
import subprocess

from . import place, processes

databases = ("keystone", "placement", "glance", "nova_api", "nova", "nova_cell0", "neutron", "cinder", "octavia")
folder = place.root / "mysql"
server_socket = place.root / "mysql.sock"


def start_database():
    if not (folder / "mysql").exists():
        folder.mkdir(parents=True, exist_ok=True)
        processes.run(
            "mariadb-install",
            [
                "mariadb-install-db",
                "--no-defaults",
                "--user=root",
                f"--datadir={folder}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ],
        )
    processes.start(
        "mariadbd",
        [
            "mariadbd",
            "--no-defaults",
            "--user=root",
            f"--datadir={folder}",
            f"--socket={server_socket}",
            f"--pid-file={place.root}/mysql.pid",
            f"--bind-address={place.address}",
            f"--port={place.DATABASE_PORT}",
            "--skip-name-resolve",
            "--max-connections=400",
            "--character-set-server=utf8mb3",
            # its memory and its care for a loss of power are of no use here
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-buffer-pool-size=96M",
            "--innodb-log-file-size=32M",
            "--performance-schema=0",
        ],
    )
    processes.wait("mariadbd", lambda: listens(place.DATABASE_PORT), "does not listen", 40)


def make_databases():
    lines = [f"create database {name};" for name in databases]
    lines += [f"create user os@'%' identified by '{place.PASSWORD}';", "grant all on *.* to os@'%';"]
    client = ["mariadb", "--no-defaults", f"--socket={server_socket}", "-uroot"]
    subprocess.run(client, env=place.environment(), input="\n".join(lines), text=True, check=True)


def start_queue():
    home = place.root / "rabbit"
    home.mkdir(parents=True, exist_ok=True)
    (home / "rabbitmq.conf").write_text(f"listeners.tcp.default = {place.address}:{place.RABBIT_PORT}\n")
    last = int(place.address.split(".")[-1])
    processes.start(
        "rabbitmq",
        ["/usr/lib/rabbitmq/bin/rabbitmq-server"],
        {
            "HOME": str(home),
            "RABBITMQ_NODENAME": f"honest-{place.address.replace('.', '-')}@localhost",
            "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq"),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_MNESIA_BASE": str(home / "mnesia"),
            "RABBITMQ_LOG_BASE": str(place.logs / "rabbit"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
            "RABBITMQ_PID_FILE": str(home / "pid"),
            # one for the computer, not one for an address
            "RABBITMQ_DIST_PORT": str(25671 + last),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_CRASH_DUMP": "/dev/null",
            # one scheduler that does not spin
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {%s} +S 1:1 +sbwt none"
            % place.address.replace(".", ","),
        },
    )


def queue_listens():
    processes.wait("rabbitmq", lambda: listens(place.RABBIT_PORT), "does not listen", 60)


def forget():
    for name in ("mysql", "rabbit"):
        shutil.rmtree(place.root / name, ignore_errors=True)


def stop_port_mapper():
    """RabbitMQ's helper outlives it; it refuses while another node of the computer is registered."""
    if shutil.which("epmd"):
        subprocess.run(["epmd", "-kill"], env={**os.environ, "ERL_EPMD_ADDRESS": "127.0.0.1"}, capture_output=True)


def listens(port):
    with socket.socket() as probe:
        probe.settimeout(2)
        return probe.connect_ex((place.address, port)) == 0
