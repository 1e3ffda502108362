"""The boot stage: the list of stages, run at each boot until all are done."""

import sys
import time

from honest import artefacts, control_plane, disk, etcd, prepare, runtime, worker
from honest import document as documents
from honest.host import StageError, Waiting, console, mark, run

COMMON = (
    ("clock", prepare.clock),
    ("endpoint", prepare.endpoint),
    ("resolver", prepare.resolver),
    ("metadata guard", prepare.guard_metadata),
    ("kernel", prepare.kernel),
    ("container host", prepare.container_host),
    ("artefacts", artefacts.ensure),
    ("containerd", runtime.containerd),
)
CONTROL_PLANE = (
    ("certificates", control_plane.certificates),
    ("etcd disk", disk.prepare),
    ("etcd birth", etcd.settle),
    ("etcd", etcd.start),
    ("components", control_plane.components),
    ("api server", control_plane.api),
    ("role", control_plane.role),
)
WORKER = (
    ("trust", worker.trust),
    ("kubelet", worker.start),
    ("join", worker.joined),
)
RETRY_SECONDS = 1


def stages(doc):
    own = CONTROL_PLANE if documents.control_plane(doc) else WORKER
    return COMMON + own + (("scrub", prepare.scrub),)


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
            except StageError as fault:
                mark(name, False, str(fault))
                return False
        mark(name, True)
        print("%s took %.1f s" % (name, time.time() - began), flush=True)
    mark("ready", True)
    return True


def main():
    # kubelet never runs before this stage of this boot: endpoint, guard and mounts come first
    run(["systemctl", "stop", "kubelet"], check=False)
    try:
        doc = documents.load()
    except StageError as fault:
        mark("document", False, str(fault))
        return 1
    console("boot stage of %s" % documents.node_name(doc))
    return 0 if go(doc) else 1


if __name__ == "__main__":
    sys.exit(main())
