"""The boot stage: the list of stages, run at each boot until all are done."""

import os
import time
import traceback

from honest import document as documents
from honest import prepare, runtime
from honest.host import SAID, StageError, Waiting, console, mark, run

COMMON = (
    ("clock", prepare.clock),
    ("endpoint", prepare.endpoint),
    ("resolver", prepare.resolver),
    ("metadata guard", prepare.guard_metadata),
    ("kernel", prepare.kernel),
    ("container host", prepare.container_host),
)
RETRY_SECONDS = 1


def stages(doc):
    # a machine is sent the files of its own role only
    if documents.control_plane(doc):
        from honest import control_plane, disk, etcd

        own = (
            ("certificates", control_plane.certificates),
            ("etcd disk", disk.prepare),
            ("etcd birth", etcd.settle),
            ("etcd", etcd.start),
            ("components", control_plane.components),
            ("api server", control_plane.api),
            ("role", control_plane.role),
        )
    else:
        from honest import worker

        own = (("trust", worker.trust), ("join", worker.granted), ("kubelet", worker.start), ("certificate", worker.joined))
    if doc["mirror"].get("binaries"):
        from honest import artefacts

        programs = artefacts.ensure
    else:
        programs = runtime.programs
    return COMMON + (("artefacts", programs), ("containerd", runtime.containerd)) + own + (("scrub", prepare.scrub),)


def worded(fault):
    if isinstance(fault, StageError):
        return str(fault)
    traceback.print_exc()
    return "%s: %s" % (type(fault).__name__, fault)


def go(doc, sleep=time.sleep):
    """Each stage until it is done. Waiting is said and tried again; a fault ends the run, and systemd begins a new one."""
    for name, work in stages(doc):
        began = time.time()
        while True:
            try:
                work(doc)
                break
            except Waiting as waits:
                mark(name, False, str(waits))
                sleep(RETRY_SECONDS)
            except Exception as fault:
                # also what nobody thought of, such as a full disk: the console is all that a person sees of this machine
                mark(name, False, worded(fault))
                return False
        mark(name, True)
        print("%s took %.1f s" % (name, time.time() - began), flush=True)
    mark("ready", True)
    return True


def main():
    # kubelet never runs before this stage of this boot, also where the image had it enabled: endpoint, guard and mounts
    # come first. A later try of the same boot leaves it running
    first = not os.path.exists(SAID)
    if first:
        run(["systemctl", "disable", "--now", "--quiet", "kubelet"], check=False)
    try:
        doc = documents.load()
    except Exception as fault:
        mark("document", False, worded(fault))
        return 1
    if first:
        console("boot stage of %s" % documents.node_name(doc))
    return 0 if go(doc) else 1
