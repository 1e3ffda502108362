"""Who made which machines and disks, so that nothing of a run is left: also not of one whose test failed or that was killed.

What a run makes carries the run's mark: process and the moment at which it began. A run that ends takes its own away, a
new one also what runs have left that are no more.
"""

import contextlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from support.machine import Disk, Machine, call

RUN_LABEL = "honest-paas.dev/pytest-run"
FOLDER = "honest-pytest-"
TOOLS = ("docker", "losetup", "openssl", "node")


def why_not():
    """Why machines cannot be made on this computer, or None."""
    if os.geteuid() != 0:
        return "machines for tests need root (loop devices)"
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        return "machines for tests need %s, missing here" % ", ".join(missing)
    if call("docker", "version", check=False).returncode != 0:
        return "machines for tests need a container engine; none answers here"
    images = call("docker", "images", "-q", "honest-paas/test-base").split()
    if len(set(images)) < 2 and not shutil.which("mmdebstrap"):
        return "machines for tests need mmdebstrap to make their Debian images, missing here"
    return None


def began(pid):
    """When a process began, in ticks since the host's boot; None when there is none. A number alone comes back for others."""
    try:
        return Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return None


def run_mark(pid=None):
    """Processes are numbered anew in each container, so the mark says which numbering it is."""
    pid = pid or os.getpid()
    return "%s-%d-%s" % (re.sub(r"\D", "", os.readlink("/proc/self/ns/pid")), pid, began(pid))


def over(mark):
    """The run of this mark could be seen from here, and is no more."""
    parts = mark.split("-")
    if len(parts) != 3 or parts[0] != run_mark().split("-")[0]:
        return False
    return began(int(parts[1])) != parts[2]


def containers():
    """[(name, run)] of all machines of tests."""
    listed = call("docker", "ps", "-a", "--filter", "label=" + RUN_LABEL, "--format", '{{.Names}} {{.Label "%s"}}' % RUN_LABEL)
    return [tuple(line.split(" ", 1)) for line in listed.splitlines()]


def loops():
    """[(device, file, run)] of all disks of tests."""
    listed = json.loads(call("losetup", "-l", "-J", "-O", "NAME,BACK-FILE") or '{"loopdevices": []}')["loopdevices"]
    found = []
    for loop in listed:
        mark = re.search(r"/%s([\d-]+)\." % FOLDER, loop["back-file"] or "")
        if mark:
            found.append((loop["name"], loop["back-file"], mark.group(1)))
    return found


def sweep():
    """Takes away what runs have left that are no more. First the machines: they hold the disks."""
    for name, run in containers():
        if over(run):
            call("docker", "rm", "-f", "-v", name)
    for device, _, run in loops():
        if over(run):
            call("losetup", "-d", device)
    for folder in Path(tempfile.gettempdir()).glob(FOLDER + "*"):
        if over(folder.name[len(FOLDER) :].split(".")[0]):
            shutil.rmtree(folder)


class Lab:
    """Makes machines and disks; at its end all of them go, machines first, also when one cannot be taken away."""

    def __init__(self):
        self.stack = contextlib.ExitStack()
        self.folder = Path(tempfile.mkdtemp(prefix=FOLDER + run_mark() + "."))
        self.stack.callback(shutil.rmtree, self.folder)
        # entered before any machine, so closed after all of them
        self.disks = self.stack.enter_context(contextlib.ExitStack())

    def machine(self, image, user_data, files=None):
        made = Machine(image, user_data, files, ["%s=%s" % (RUN_LABEL, run_mark())])
        self.stack.callback(made.close)
        return made

    def disk(self):
        made = Disk(self.folder)
        self.disks.callback(made.close)
        return made

    def close(self):
        self.stack.close()
