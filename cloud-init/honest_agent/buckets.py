"""Counts of probes by hour and by day. Pure: the clock is a parameter, nothing is read or written.

A span in which nobody probed is unknown. It is never counted as good and never as failed.
"""

# name, seconds of one bucket, how many are kept: the current one and those before it
ROWS = (("hours", 3600, 24), ("days", 86400, 31))


def fresh():
    """hours, days: {index: [probes, failed, longest gap in seconds]}. begun, last: first and last probe; down: since when it fails."""
    return {"hours": {}, "days": {}, "begun": None, "last": None, "down": None}


def count(seconds):
    return isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and seconds >= 0


def checked(data):
    """What a file said, or ValueError: half a count would be a lie."""
    if not isinstance(data, dict) or not all(isinstance(data.get(name), dict) for name, _, _ in ROWS):
        raise ValueError("it holds no buckets")
    for name, _, _ in ROWS:
        for index, bucket in data[name].items():
            whole = isinstance(bucket, list) and len(bucket) == 3 and all(map(count, bucket))
            if not index.isdigit() or not whole or bucket[1] > bucket[0]:
                raise ValueError("%s has a bucket %s: %s" % (name, index, bucket))
    moments = {name: data.get(name) if count(data.get(name)) else None for name in ("begun", "last", "down")}
    return dict({name: {k: list(v) for k, v in data[name].items()} for name, _, _ in ROWS}, **moments)


def add(state, at, good, pace):
    """Counts one probe that began at that second.

    A gap runs from the first probe that failed to the next good one. After a span without probes (agent or machine was
    off, clock was set) nobody knows how it went on, so a gap does not reach across it.
    """
    state["begun"] = at if state["begun"] is None else min(state["begun"], at)
    seen = state["last"] is not None and 0 <= at - state["last"] <= 3 * pace
    if not seen:
        state["down"] = None
    if not good and state["down"] is None:
        state["down"] = at
    gap = 0 if state["down"] is None else int(round(at - state["down"]))
    for name, size, kept in ROWS:
        now = int(at // size)
        bucket = state[name].setdefault(str(now), [0, 0, 0])
        bucket[0] += 1
        bucket[1] += not good
        bucket[2] = max(bucket[2], gap)
        for index in [i for i in state[name] if not now - kept < int(i) <= now]:
            del state[name][index]
    if good:
        state["down"] = None
    state["last"] = at


def total(state, name, now):
    """{"probes", "failed", "longest_gap", "since"} of the last day or month; since: when that begins, or None."""
    size, kept = [(size, kept) for row, size, kept in ROWS if row == name][0]
    last = int(now // size)
    found = {int(i): bucket for i, bucket in state[name].items() if last - kept < int(i) <= last}
    return {
        "probes": sum(b[0] for b in found.values()),
        "failed": sum(b[1] for b in found.values()),
        "longest_gap": max([b[2] for b in found.values()] or [0]),
        "since": max(min(found) * size, state["begun"] or 0) if found else None,
    }
