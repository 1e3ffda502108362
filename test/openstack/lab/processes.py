"""Starts services in the background, finds them again by the files with their pids, and stops them with their children."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

from . import place


class Dead(Exception):
    pass


def start(name, command, extra=None):
    if alive(name):
        return
    with open(place.logs / f"{name}.log", "ab") as log:
        done = subprocess.Popen(
            ["nice", "-n", "5", *map(str, command)],
            env={**place.environment(), **(extra or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            # a group of its own, so that it ends with its workers and not with this program
            start_new_session=True,
        )
    (place.pids / name).write_text(f"{done.pid} {birth(done.pid)}")


def run(name, *commands):
    """One after the other, to the end; what they say goes to the log of that name."""
    with open(place.logs / f"{name}.log", "ab") as log:
        for command in commands:
            done = subprocess.run(
                ["nice", "-n", "5", *map(str, command)],
                env=place.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            if done.returncode != 0:
                raise Dead("%s ended with %d:\n%s" % (" ".join(map(str, command)), done.returncode, tail(name)))


def names():
    return sorted(path.name for path in place.pids.glob("*")) if place.pids.exists() else []


def pid(name):
    path = place.pids / name
    return int(path.read_text().split()[0]) if path.exists() else None


def alive(name):
    path = place.pids / name
    if not path.exists():
        return False
    number, begun = path.read_text().split()
    return birth(int(number)) == begun


def birth(number):
    """When the process began, in the kernel's own count: a number may be somebody else's by now. "" when it has ended."""
    try:
        with open(f"/proc/{number}/stat") as file:
            # the name before it may hold anything but the last bracket
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] == "Z" else fields[19]


def stop(some, seconds=15):
    for name in some:
        if alive(name):
            tell(pid(name), signal.SIGTERM)
    end = time.monotonic() + seconds
    for name in some:
        number = pid(name)
        if number is None:
            continue
        while group_lives(number) and time.monotonic() < end:
            time.sleep(0.1)
        if group_lives(number) and alive(name):
            tell(number, signal.SIGKILL)
        (place.pids / name).unlink(missing_ok=True)


def tell(group, what):
    try:
        os.killpg(group, what)
    except ProcessLookupError:
        # it went between the look and the word
        return


def group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def tail(name):
    path = place.logs / f"{name}.log"
    return "\n".join(path.read_text(errors="replace").splitlines()[-25:]) if path.exists() else "no log"


def answers(name, url, seconds=90):
    """Any answer but a failure of the server counts. A listening socket does not: gunicorn's accepts while its application
    fails to load again and again, and a client would hang for ever."""

    def asked():
        try:
            with urllib.request.urlopen(url, timeout=5):
                return True
        except urllib.error.HTTPError as refusal:
            return refusal.code < 500
        except OSError:
            return False

    wait(name, asked, f"does not answer at {url}", seconds)


def wait(name, ready, what, seconds):
    end = time.monotonic() + seconds
    while not ready():
        if pid(name) is not None and not alive(name):
            raise Dead(f"{name} ended:\n{tail(name)}")
        if time.monotonic() > end:
            raise Dead(f"{name} {what} after {seconds} s:\n{tail(name)}")
        time.sleep(0.2)
