"""One piece of backup work, in a process beside the agent: what it is stands on standard input, its outcome on standard output.

Keys come in by the pipe and never by arguments or environment. When the pipe ends, the agent is gone, and this process and
all that it started go too.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import s3  # noqa: E402
import sealed  # noqa: E402
import snapshots  # noqa: E402
import target  # noqa: E402

DOCUMENT = "/var/lib/honest-paas/boot.json"
FAULTS = (snapshots.SnapshotError, sealed.SealError, s3.S3Error, OSError, ValueError, KeyError, subprocess.SubprocessError)


def work(task, doc):
    """The outcome of one task: a proof, a drill's result, or what was sent."""
    if task["do"] == "take":
        return snapshots.take(doc, {"keep": task["keep"]}, time.time())
    if task["do"] == "drill":
        return snapshots.drill(task["proof"])
    if task["do"] == "upload":
        fault = snapshots.verify(task["proof"])
        if fault:
            raise snapshots.SnapshotError(fault)
        return target.send(task["target"], doc, task["proof"])
    raise ValueError("no such task: %s" % task["do"])


def outcome(task, doc):
    """{"ok": …} or {"error": words}."""
    try:
        return {"ok": work(task, doc)}
    except FAULTS as cause:
        return {"error": str(cause) or type(cause).__name__}


def go_with_the_agent():
    # not through sys.stdin, whose lock would be held at the end
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)


def main():
    # etcd's own work comes first
    os.nice(10)
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=go_with_the_agent, daemon=True).start()
    with open(DOCUMENT, encoding="utf-8") as f:
        doc = json.load(f)
    print(json.dumps(outcome(task, doc)), flush=True)


if __name__ == "__main__":
    main()
