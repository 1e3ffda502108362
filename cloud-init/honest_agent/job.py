"""Work that takes longer than a round of the agent: a process in a group of its own, one at a time for each owner."""

import json
import os
import signal
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
running = set()


class Job:
    """Started by its making. script: a file beside this one; task: JSON that it reads from its standard input."""

    def __init__(self, script, task, limit, clock=time.monotonic):
        self.task, self.limit, self.clock, self.began = task, limit, clock, clock()
        self.outcome = None
        argv = [sys.executable, os.path.join(FOLDER, script)]
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        running.add(self)
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            # the pipe stays open: its end tells the process that the agent is gone
            self.process.stdin.flush()
        except OSError as cause:
            # its outcome will say that it ended
            print("%s does not take its task: %s" % (script, cause), flush=True)

    def poll(self):
        """None while it runs, then {"ok": …} or {"error": words}."""
        if self.outcome:
            return self.outcome
        if self.process.poll() is None:
            if self.clock() - self.began < self.limit:
                return None
            self.end("it was ended after %d s" % self.limit)
            return self.outcome
        running.discard(self)
        said = self.process.stdout.read()
        self.close()
        try:
            return json.loads(said)
        except ValueError:
            return {"error": "its process ended with %d; journalctl -u honest-agent says more" % self.process.returncode}

    def close(self):
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except OSError as cause:
                print("a pipe of an ended process: %s" % cause, flush=True)

    def end(self, why):
        """Kills it and all that it started; `why` is its outcome from now on."""
        running.discard(self)
        self.outcome = {"error": why}
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self.close()


def end_all():
    """Nothing of ours uses the etcd disk from here on. For a machine that goes out of service, and may come back."""
    for one in list(running):
        one.end("it was ended, since the machine went out of service")
