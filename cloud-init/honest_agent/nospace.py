"""etcd that takes no more data: its history is given up, its members are made smaller one after another, and the alarm is
taken back when there is room. One control plane does it all; a Lease cannot be had, since etcd takes no writes.
"""

import json

import etcd

# revisions of history that are kept at first: who watches goes on from where it was
KEPT = 1000
# an alarm that is taken back closer to the quota comes again with the next writes
ROOM = 0.9
# a file with less than that unused in it does not become smaller
WORTH = 0.1
MIB = 1 << 20


def next_step(members, me, done):
    """What to do now: ("wait", why), ("compact", revisions that stay), ("shrink", name), ("disarm", None), ("full", why).

    members: [{"name", "answers", "learner", "leader", "size", "used", "quota"}], bytes, size None where it was not to be asked.
    done: {"compacted": revisions that stayed or None, "shrunk": [names since then]}.
    """
    voters = [m for m in members if m["answers"] and not m["learner"]]
    if not voters or min(m["name"] for m in voters) != me:
        return ("wait", "the first control plane of those that answer does it")
    silent = [m["name"] or "a new member" for m in members if not m["answers"] or m["size"] is None]
    if silent:
        return ("wait", "%s does not answer: nobody is made smaller beside it" % ", ".join(silent))
    if all(m["size"] <= ROOM * m["quota"] for m in members):
        return ("disarm", None)
    if done["compacted"] is None:
        return ("compact", KEPT)
    # the leader last
    for m in sorted(members, key=lambda m: (m["leader"], m["name"])):
        if m["name"] not in done["shrunk"] and m["size"] - m["used"] > WORTH * m["size"]:
            return ("shrink", m["name"])
    if done["compacted"] > 0:
        return ("compact", 0)
    largest = max(members, key=lambda m: m["size"])
    words = "etcd is full: %s holds %d MiB that are in use, its quota is %d MiB. Delete objects, or raise etcd.quota-backend-bytes"
    return ("full", words % (largest["name"], largest["used"] // MIB, largest["quota"] // MIB))


def look():
    """Members with their sizes; None when the local one cannot say. "url" is where each is asked."""
    found, known = etcd.members(), etcd.listed()
    if found is None or known is None:
        return None
    urls = {"%x" % int(m["ID"]): (m.get("clientURLs") or [None])[0] for m in known}
    for m in found:
        m["url"] = urls.get(m["id"])
        m.update(size=None, used=None, quota=None)
        # a learner confirms no read, but says how large it is
        asked = etcd.etcdctl("endpoint", "status", endpoints=m["url"]) if m["url"] else None
        if asked is not None and asked.returncode == 0:
            status = json.loads(asked.stdout)[0]["Status"]
            quota = status.get("dbSizeQuota") or 2048 * MIB
            m.update(answers=True, size=status["dbSize"], used=status["dbSizeInUse"], quota=quota, revision=status["header"]["revision"])
    return found


def act(step, members, me):
    """Does it; what it did in words. Raises ValueError when etcd refuses."""
    action, what = step
    mine = [m for m in members if m["name"] == me][0]
    if action == "compact":
        revision = mine["revision"] - what
        if revision > 0:
            done = etcd.etcdctl("compact", str(revision), "--physical=true", timeout=600)
            if done.returncode != 0 and "has been compacted" not in done.stderr:
                raise ValueError("etcd does not give up its history: %s" % done.stderr.strip()[-200:])
        return "history given up but for the last %d revisions" % what if what else "all history given up"
    if action == "shrink":
        member = [m for m in members if m["name"] == what][0]
        done = etcd.etcdctl("defrag", endpoints=member["url"], timeout=600)
        if done.returncode != 0:
            raise ValueError("%s was not made smaller: %s" % (what, done.stderr.strip()[-200:]))
        return "%s of %d MiB, %d in use, defragmented" % (what, member["size"] // MIB, member["used"] // MIB)
    done = etcd.etcdctl("alarm", "disarm")
    if done.returncode != 0:
        raise ValueError("the alarm was not taken back: %s" % done.stderr.strip()[-200:])
    return "there is room again, etcd takes writes"
