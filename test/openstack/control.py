#!/usr/bin/python3
"""control.py install | up | down | status | reset | clean | start NAME… | stop NAME…

A small OpenStack on a loopback address (HONEST_OPENSTACK_ADDRESS), with its data in the cache (HONEST_OPENSTACK_DIR).
`up` installs what is missing and begins where `down` left it; `reset` forgets everything but the packages; `clean`
takes away what the tests' project has."""

import os
import shutil
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True

from lab import daemons, packages, place, processes, schemas, settings, stores

begun = time.monotonic()


def tell(what):
    print("%4.0f s  %s" % (time.monotonic() - begun, what), flush=True)


def up():
    packages.install()
    settings.write()
    schemas.make_authority()
    tell("packages and settings")
    fresh = not place.seeded.exists()
    if fresh:
        stores.forget()
    stores.start_queue()
    stores.start_database()
    if fresh:
        stores.make_databases()
        schemas.fill()
        tell("databases")
    stores.queue_listens()
    daemons.start(daemons.first)
    daemons.work(["keystone"])
    if fresh:
        seed("people")
    tell("keystone")
    daemons.start(daemons.rest)
    daemons.work(["placement"])
    daemons.start(daemons.hypervisors)
    daemons.work(daemons.every)
    tell("every API answers")
    seed("wait")
    if fresh:
        schemas.find_hypervisors()
        seed("offer")
        place.seeded.touch()
    tell("ready")


def seed(step):
    processes.run("seed", ["timeout", "180", place.PYTHON, "-m", "lab.seed", step])


def clean():
    processes.run("clean", ["timeout", "300", place.PYTHON, "-m", "lab.clean"])


def down():
    last = ["rabbitmq", "mariadbd"]
    processes.stop([name for name in processes.names() if name not in last])
    processes.stop([name for name in last if name in processes.names()])
    stores.stop_port_mapper()


def reset():
    down()
    stores.forget()
    for folder in (place.state, place.logs, place.pids, place.settings):
        shutil.rmtree(folder, ignore_errors=True)


def status():
    """Name, life, and memory in MiB: private memory and its share of what processes have together."""
    total = 0
    for name in processes.names():
        memory = sum(share(number) for number in members(processes.pid(name))) // 1024
        total += memory
        print("%-18s %-5s %5d MiB" % (name, "up" if processes.alive(name) else "DEAD", memory))
    print("%-18s %-5s %5d MiB" % ("all", "", total))


def members(group):
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.getpgid(int(entry)) == group:
                yield int(entry)
        except ProcessLookupError:
            # gone meanwhile
            continue


def share(number):
    try:
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def main(command="up", *some):
    commands = {"install": packages.install, "up": up, "down": down, "status": status, "reset": reset, "clean": clean}
    if command in commands:
        commands[command]()
    elif command == "start" and some:
        daemons.start(some)
        daemons.work(some)
    elif command == "stop" and some:
        processes.stop(some)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except processes.Dead as problem:
        raise SystemExit(str(problem))
