"""Which certificate is renewed next, and what is said about all of them. Pure: what was seen, the policy and the clock in, one step out.

A leaf is {"name", "by", "ends", "life", "digest", "changed", "port", "served", "component", "loaded", "ca_ends"}:
  by         "kit" = renewed here; "kubelet" = by itself; "component" = made new at its start
  ends       seconds since the epoch, None when it cannot be read; life: from its begin to its end; digest: of the one on the disk
  changed    when the file was written
  port       whether somebody serves it; served: {"ends", "life", "digest"} of what is served, None when nobody answers
  component  the static pod that has to start anew, loaded: whether it began after the file was written (None: not running)
  ca_ends    the end of who signs it
  foreign    whether another authority signs now
What was seen has beside the leaves "stale": (component, why) of what runs with other authorities than there are now.
"""

import time

# a year's third: the longest window of what lives for a year whatever the policy says
LONGEST_WINDOW = 2920 * 3600
# API server and etcd load a new file by themselves; after that long they are helped or reported
PATIENCE = 90
# a static pod needs a moment to end and to begin
STARTING = 30
# clocks, rounding, and the time between issue and look
SLACK = 60


def needs_new(leaf, policy, now):
    """Why the leaf is renewed now, or None."""
    if leaf["ends"] is None:
        return "it cannot be read"
    if leaf["foreign"]:
        return "another authority signs now"
    left = leaf["ends"] - now
    if left > policy["lifetime"] + SLACK:
        return "it would live longer than %d s" % policy["lifetime"]
    # with an authority that ends soon a new leaf ends no later
    if left <= policy["renew_before"] and (leaf["ca_ends"] is None or leaf["ca_ends"] - leaf["ends"] > SLACK):
        return "it ends in %d s" % left
    return None


def soon(leaf, policy, now, part):
    """Whether what is on the disk or served ends within that part of the window."""
    window = min(policy["renew_before"], policy["lifetime"] / 3, LONGEST_WINDOW) * part
    ends = [leaf["ends"]] + ([leaf["served"]["ends"]] if leaf["served"] else [])
    return any(end is not None and end - now <= window for end in ends)


def unsettled(leaf, now):
    """("restart", component, why), ("wait", name, why) or None: whether what was renewed is in use."""
    if leaf["component"] and leaf["loaded"] is False:
        return ("restart", leaf["component"], "%s is newer than it" % leaf["name"])
    if not leaf["port"] or leaf["digest"] is None:
        return None
    if leaf["served"] and leaf["served"]["digest"] == leaf["digest"]:
        return None
    if now - leaf["changed"] <= PATIENCE:
        return ("wait", leaf["name"], "it is not served yet")
    if leaf["served"] and leaf["component"]:
        return ("restart", leaf["component"], "it still serves the %s from before" % leaf["name"])
    return None


def wish(seen, policy, now, failed, started):
    """(action, target, why, urgent) of the first thing to do, or None.

    failed: {target: when it may be tried again}; started: {component: when it was last started anew}.
    """
    step = plainly(seen, policy, now, failed)
    if step and step[0] == "restart" and now - started.get(step[1], 0) < STARTING:
        return ("wait", step[1], "it starts", False)
    return step


def plainly(seen, policy, now, failed):
    leaves = [leaf for leaf in seen["leaves"] if leaf["by"] == "kit"]
    open_steps = [(leaf, unsettled(leaf, now)) for leaf in leaves]
    open_steps += [(leaf, ("renew", leaf["name"], needs_new(leaf, policy, now))) for leaf in leaves if needs_new(leaf, policy, now)]
    for leaf, step in open_steps:
        if step and failed.get(step[1], 0) <= now:
            return step + (soon(leaf, policy, now, 0.25),)
    for component, why in seen["stale"]:
        if failed.get(component, 0) <= now:
            return ("restart", component, why, False)
    # what kubelets are given follows the policy too
    signing = seen["signing"]
    if signing is not None and signing != policy["lifetime"] and failed.get("kube-controller-manager", 0) <= now:
        return ("restart", "kube-controller-manager", "it signs for %d s, the policy is %d s" % (signing, policy["lifetime"]), False)
    for leaf in seen["leaves"]:
        if leaf["by"] == "component" and failed.get(leaf["component"], 0) <= now and leaf["served"]:
            left = leaf["served"]["ends"] - now
            if left <= min(policy["renew_before"], LONGEST_WINDOW):
                return ("restart", leaf["component"], "what it made for itself ends in %d s" % left, False)
    return None


def next_step(seen, policy, lease, now, failed, started):
    """One of ("renew" | "restart", target, why), ("take" | "wait" | "free", target, why), or None when there is nothing to do.

    lease: {"known": the API said who has it, "mine", "holder": who has it else, or None}. One control plane at a time. Who is
    nearly out of time goes on alone when it cannot ask, because the API is what a certificate keeps down, and renews, which
    stops nothing, also beside another: born together, their certificates end together, and the last turn may come too late.
    """
    wanted = wish(seen, policy, now, failed, started)
    if wanted is None:
        return ("free", None, "") if lease["mine"] else None
    action, target, why, urgent = wanted
    if action == "wait" or lease["mine"]:
        return (action, target, why)
    if not lease["known"]:
        return (action, target, why) if urgent else ("wait", target, "nobody can say whose turn it is")
    if lease["holder"] and urgent and action == "renew":
        return (action, target, why)
    if lease["holder"]:
        return ("wait", target, "%s renews now" % lease["holder"])
    return ("take", target, why)


def problems(seen, policy, now):
    """A sentence about each thing that does not get better by itself; the same words as long as it is the same."""
    said = []
    for leaf in seen["leaves"]:
        name, served = leaf["name"], leaf["served"]
        if leaf["by"] == "kit" and served and served["digest"] != leaf["digest"] and now - leaf["changed"] > PATIENCE:
            said.append("%s is renewed on the disk, but the one from before is still served" % name)
        elif leaf["by"] == "kit" and leaf["loaded"] is False and now - leaf["changed"] > PATIENCE:
            said.append("%s is renewed on the disk, but %s still runs with the one from before" % (name, leaf["component"]))
        elif leaf["by"] == "kit" and leaf["ends"] is not None and soon(leaf, policy, now, 0.25) and needs_new(leaf, policy, now):
            said.append("%s is not renewed yet, it ends %s" % (name, iso(leaf["ends"])))
        elif leaf["by"] == "kubelet":
            # it renews its own when 10 to 30 % of their life are left
            late = [each for each in (leaf, served) if each and each["ends"] is not None and each["ends"] - now < each["life"] * 0.05]
            if late:
                said.append("kubelet has not renewed %s, it ends %s" % (name, iso(late[-1]["ends"])))
    for name, ends in sorted(seen["authorities"].items()):
        if ends - now <= policy["renew_before"]:
            said.append("the authority %s ends %s, and nothing that it signs ends later" % (name, iso(ends)))
    return said


def iso(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def report(seen, wrong):
    """The Node's annotation: {"items": {name: {"not_after", "served"?}}, "problem"}; RFC 3339 times."""
    items = {}
    for leaf in seen["leaves"]:
        entry = {} if leaf["ends"] is None else {"not_after": iso(leaf["ends"])}
        if leaf["served"]:
            entry["served"] = iso(leaf["served"]["ends"])
        if entry:
            items[leaf["name"]] = entry
    for name, ends in seen["authorities"].items():
        items[name] = {"not_after": iso(ends)}
    return {"items": items, "problem": wrong}
