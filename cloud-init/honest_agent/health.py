"""What is mended next on this machine, and what is only said. Pure: what was seen, what was tried and the clock in, one step out.

A part is {"active", "sub", "answers", "seconds", "restarts"}: systemd's two words for its unit, whether it answers where it is
asked for its health (None: it was not asked), for how many seconds the unit has been as it is, and how often systemd has
started it again by itself.

systemd starts again what ended by itself. What is left is what was stopped, what systemd gave up, and what runs and does not
answer.
"""

# containerd before kubelet, which cannot be well without it
PARTS = ("honest-etcd", "containerd", "kubelet")
NAMES = {"honest-etcd": "etcd"}
# long enough for a restart by systemd, by the boot stage or by a person
GRACE = {"stopped": 20, "hangs": 40, "ends": 60, "starts": 300}
FIRST_PAUSE, LONGEST_PAUSE = 30, 1800
# who has been well for that long begins again with the shortest pause
SOUND_SECONDS = 600
# no member of etcd answers anywhere: one that hangs takes nothing away when it is ended, but all may wait for one slow disk
NOBODY_SECONDS = 180


def state_of(part, restarts):
    """ "well", "stopped", "hangs" (runs and does not answer), "ends" (again and again) or "starts". restarts: at the look before."""
    if part["sub"] == "auto-restart" or part["restarts"] > restarts:
        return "ends"
    if part["active"] == "active":
        return "well" if part["answers"] in (True, None) else "hangs"
    return "stopped" if part["active"] in ("inactive", "failed") else "starts"


def follow(before, parts, now):
    """How each part is, carried on from look to look: {name: {"how", "since", "bad", "restarts", "tries", "tried"}}.

    bad: since when it has not been well, whatever it was in between; None when it is. tried: when it was last mended.
    """
    course = {}
    for name, part in parts.items():
        old = before.get(name) or {"how": None, "since": now, "bad": None, "restarts": part["restarts"], "tries": 0, "tried": None}
        how = state_of(part, old["restarts"])
        since = min(old["since"], now) if old["how"] == how else now
        if how == "hangs":
            # one that was just started is given its time
            since = max(since, now - part["seconds"])
        bad = None if how == "well" else now if old["bad"] is None else old["bad"]
        tries = 0 if how == "well" and now - since >= SOUND_SECONDS else old["tries"]
        course[name] = {"how": how, "since": since, "bad": bad, "restarts": part["restarts"], "tries": tries, "tried": old["tried"]}
    return course


def lasting(entry, now):
    return entry["how"] != "well" and now - entry["since"] >= GRACE[entry["how"]]


def pause(tries):
    return min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE) if tries else 0


def next_step(course, now):
    """("start" | "end", name) of the first part that is to be mended now, or None. "end": systemd starts it again."""
    for name in PARTS:
        entry = course.get(name)
        if entry is None or entry["how"] == "well":
            continue
        due = entry["tried"] is None or not 0 <= now - entry["tried"] < pause(entry["tries"])
        if entry["how"] in ("stopped", "hangs") and lasting(entry, now) and due:
            return ("start" if entry["how"] == "stopped" else "end", name)
        # of what does not run yet, the next one cannot be judged
        if name == "containerd":
            return None
    return None


def tried(course, name, now):
    entry = course[name]
    return dict(course, **{name: dict(entry, tries=entry["tries"] + 1, tried=now)})


def mended(before, course):
    """Names of the parts that were tried while they were not well, and are well now."""
    bad = {n: e["bad"] for n, e in before.items() if e["bad"] is not None and e["tried"] is not None and e["tried"] >= e["bad"]}
    return [n for n in course if n in bad and course[n]["how"] == "well"]


def mending(course, now):
    """Whether a part was tried and may yet come up: nobody else mends meanwhile."""
    return any(e["how"] != "well" and e["tried"] is not None and 0 <= now - e["tried"] < 90 for e in course.values())


def may_end_etcd(others, hangs_for):
    """Why etcd that hangs here is left alone, or None. others: [whether it answers] of the other voters.

    Its local port is silent, but its peers may still have its vote. Who answers has a majority; so a member that answers says
    that there is one, and the question is whether it stands without this one.
    """
    answer = len([o for o in others if o])
    if not others or 2 * answer > len(others) + 1:
        return None
    if answer:
        return "the majority would be lost with it: %d of %d others answer" % (answer, len(others))
    return None if hangs_for >= NOBODY_SECONDS else "no member answers; that is waited for first"


def problems(course, now, ends=None):
    """A sentence about each part that has not been well for a while; the same words as long as it is the same.

    ends: {name: last line of its journal} of what ends again and again.
    """
    words = {"stopped": "%s is stopped", "hangs": "%s runs and does not answer", "starts": "%s has been starting for minutes"}
    said = []
    for name, entry in sorted(course.items()):
        if not lasting(entry, now):
            continue
        title = NAMES.get(name, name)
        if entry["how"] == "ends":
            last = (ends or {}).get(name)
            said.append("%s ends again and again%s" % (title, ": " + last if last else ""))
        else:
            said.append(words[entry["how"]] % title)
    return said


MIB = 1 << 20


def disk_problems(disks):
    """disks: [{"path", "size", "free", "files", "files_free"}]; files 0: not counted there."""
    said = []
    for disk in disks:
        # a part of it and an amount: 5 % of a large disk is plenty, and a small one is full with a few MiB left
        if disk["free"] < 256 * MIB or (disk["free"] < 2048 * MIB and 20 * disk["free"] < disk["size"]):
            said.append(
                "the disk of %s is nearly full: less than 5 %% or 256 MiB of its %d MiB are free" % (disk["path"], disk["size"] // MIB)
            )
        elif disk["files"] and 50 * disk["files_free"] < disk["files"]:
            said.append("the disk of %s has nearly no room for more files" % disk["path"])
    return said
