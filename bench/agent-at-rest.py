"""What the agent costs a quiet node: memory and processor time of its processes, with that of the programs they call.

On the node itself: docker exec -i NODE python3 - 200 < bench/agent-at-rest.py (seconds; at least 180).
"""

import os
import re
import sys
import time

NAMES = {"agent": "/agent/[0-9a-f]+/main.py", "loader": "honest.loader", "peer": "honest.peer"}
TICK = os.sysconf("SC_CLK_TCK")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def find():
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = read("/proc/%s/cmdline" % pid).replace("\0", " ")
        except OSError:
            # it ended while we looked
            continue
        found.update({name: pid for name, pattern in NAMES.items() if "python3" in words and re.search(pattern, words)})
    return found


def seconds(pid):
    """Own user and system time, and that of children that ended."""
    fields = read("/proc/%s/stat" % pid).rsplit(")", 1)[1].split()
    return [int(ticks) / TICK for ticks in fields[11:15]]


def memory(pid, what):
    return int(re.search(what + r": +(\d+)", read("/proc/%s/smaps_rollup" % pid)).group(1)) / 1024


def main():
    length = int(sys.argv[1])
    pids = find()
    before, began = {name: seconds(pid) for name, pid in pids.items()}, time.time()
    time.sleep(length)
    passed = time.time() - began
    for name, pid in sorted(pids.items()):
        own_user, own_system, user, system = [b - a for a, b in zip(before[name], seconds(pid))]
        used = own_user + own_system + user + system
        sizes = "%.1f MB RSS, %.1f MB PSS" % (memory(pid, "Rss"), memory(pid, "Pss"))
        share = "%.2f s of %.0f s = %.2f %% of a core" % (used, passed, 100 * used / passed)
        print("%-6s %s, %s (%.2f s in programs)" % (name, sizes, share, user + system))


main()
