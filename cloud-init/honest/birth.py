"""Birth of etcd in two steps, as a pure function: no files, no network, no clock.

Nothing on a machine can tell "first boot" from "all disks lost". A cluster is therefore born only with a ticket, only when
every listed peer says that its disk is empty (step one: the set of disks is written down), and only when all of them have
written the same set (step two). Who does not answer is waited for, never guessed about.

An answer is {"state": "empty" | "born" | "lives", "nonce", "set" or None, "quorum": bool, "uid", "number"}; no answer is None.

The number says which life of the cluster a disk belongs to: 0 is birth, each restore raises it. A restore goes the same way as
a birth, with the snapshot as its ticket. Disks of two numbers have nothing to say to each other.
"""


def decide(me, mine, peers, ticket):
    """What this node does next: (action, detail).

    me      name of this node
    mine    its own answer
    peers   {name: answer or None} of the other listed members
    ticket  None when valid, else why it is not
    Actions: "write" a set, "start" as new, "join" the living, "wait" (detail says for what), "live".
    """
    if mine["state"] == "lives":
        return "live", ""
    for name, answer in sorted(peers.items()):
        if answer is not None and answer["uid"] != mine["uid"]:
            return "wait", "%s belongs to another cluster (%s)" % (name, answer["uid"])
    # an older boot stage says no number: it knows none but 0
    known = {n: a for n, a in peers.items() if a is not None and a.get("number", 0) == mine["number"]}
    others = {n: " (it is of number %d, this machine of %d)" % (a.get("number", 0), mine["number"]) if a else "" for n, a in peers.items()}
    silent = [n + others[n] for n in sorted(peers) if n not in known]
    begun = {n: a for n, a in known.items() if a["set"] is not None}

    if mine["set"] is not None:
        return _confirmed(me, mine, known, begun, silent)
    # somebody wrote a set with this very disk in it: the answer to its question was ours
    for _name, answer in sorted(begun.items()):
        if answer["set"].get(me) == mine["nonce"]:
            return "write", answer["set"]
    if any(a["quorum"] for a in known.values()):
        return "join", ""
    if begun:
        return "wait", "%s began a birth without this disk; it joins once that cluster has had a quorum" % ", ".join(sorted(begun))
    if any(a["state"] == "lives" for a in known.values()):
        return "wait", "%s holds data but has no quorum yet" % ", ".join(sorted(n for n, a in known.items() if a["state"] == "lives"))
    if silent:
        return "wait", "no answer from %s" % ", ".join(silent)
    if ticket is not None:
        return "wait", "every listed etcd disk is empty, and this machine may not found a cluster: %s" % ticket
    everyone = {n: a["nonce"] for n, a in known.items()}
    everyone[me] = mine["nonce"]
    return "write", everyone


def _confirmed(me, mine, known, begun, silent):
    agreed = {n for n, a in begun.items() if a["set"] == mine["set"]}
    if any(begun[n]["state"] == "lives" for n in agreed):
        return "start", mine["set"]
    if any(a["quorum"] for n, a in known.items() if n not in agreed):
        return "join", ""
    if silent:
        return "wait", "no answer from %s" % ", ".join(silent)
    if len(agreed) == len(known):
        return "start", mine["set"]
    others = sorted(set(known) - agreed)
    # every peer answered and none has started: a disk of the set was replaced before the birth, so a new set is due
    fresh = [n for n in others if known[n]["state"] == "empty" and mine["set"].get(n) not in (None, known[n]["nonce"])]
    if fresh and all(a["state"] != "lives" for a in known.values()):
        return "forget", "the disk of %s was replaced before the birth" % ", ".join(fresh)
    return "wait", "%s did not confirm the set yet" % ", ".join(others)
