"""etcd as a unit of ours: birth, join under its own name, and the check before each start."""

import ctypes
import json
import os
import time

from honest import birth, disk, peer
from honest.document import flags, load
from honest.host import PKI, STATE, StageError, Waiting, in_container, now, read_json, run, unit, write, write_json
from honest.prepare import own_address

START = disk.MOUNT + "/start.json"
CLOCK_UNSYNCHRONISED = 5
UNIT = """[Unit]
Description=etcd
RequiresMountsFor=%(mount)s
After=network.target
StartLimitIntervalSec=0

[Service]
Type=notify
Environment=PYTHONPATH=/usr/lib/honest-paas PYTHONDONTWRITEBYTECODE=1
ExecStartPre=/usr/bin/python3 -m honest etcd
EnvironmentFile=-/run/honest-etcd.env
ExecStart=/usr/local/bin/etcd
Restart=always
RestartSec=1
TimeoutStartSec=infinity
LimitNOFILE=65536
"""
TLS = {
    "CLIENT_CERT_AUTH": "true",
    "TRUSTED_CA_FILE": peer.CA,
    "CERT_FILE": PKI + "/etcd/server.crt",
    "KEY_FILE": PKI + "/etcd/server.key",
    "PEER_CLIENT_CERT_AUTH": "true",
    "PEER_TRUSTED_CA_FILE": peer.CA,
    "PEER_CERT_FILE": peer.CERT,
    "PEER_KEY_FILE": peer.KEY,
}


def token(doc):
    return "%s-%d" % (doc["cluster"]["uid"], doc["etcd"]["number"])


def environment(doc, start, address):
    """etcd's settings as its environment variables; the initial state is what the birth or the join decided."""
    env = {
        "NAME": doc["node"]["name"],
        "DATA_DIR": disk.DATA,
        "INITIAL_CLUSTER": ",".join("%s=https://%s:2380" % pair for pair in sorted(start["members"].items())),
        "INITIAL_CLUSTER_STATE": start["state"],
        "INITIAL_CLUSTER_TOKEN": token(doc),
        "INITIAL_ADVERTISE_PEER_URLS": "https://%s:2380" % address,
        "LISTEN_PEER_URLS": "https://%s:2380" % address,
        "LISTEN_CLIENT_URLS": "https://127.0.0.1:2379,https://%s:2379" % address,
        "ADVERTISE_CLIENT_URLS": "https://%s:2379" % address,
        "LISTEN_METRICS_URLS": "http://127.0.0.1:2381",
    }
    env.update(TLS)
    env.update({k.upper().replace("-", "_"): v for k, v in flags(doc, "etcd").items()})
    return "".join("ETCD_%s=%s\n" % pair for pair in sorted(env.items()))


def check():
    """Before each start of etcd: the disk is mounted and ours, and an empty data folder starts only as decided."""
    doc = load()
    if not disk.mounted():
        raise StageError("the etcd disk is not mounted at %s" % disk.MOUNT)
    why = disk.judge(read_json(disk.IDENTITY), doc["cluster"]["uid"], doc["node"]["name"])
    if why:
        raise StageError("the etcd disk is not this machine's: " + why)
    lost()
    start = read_json(START)
    if start is None or start["number"] != doc["etcd"]["number"]:
        raise StageError("no birth or join was decided for this disk and number %d" % doc["etcd"]["number"])
    write("/run/honest-etcd.env", environment(doc, start, own_address(doc)), 0o600)


def lost():
    """A disk that was part of a quorum holds data. Without it the member would vote as if it had never said anything."""
    if os.path.exists(peer.QUORUM) and not peer.has_data():
        raise StageError("etcd's data is gone from its disk (%s is empty): attach an empty disk, or restore a snapshot" % disk.DATA)


def synchronised():
    """What the kernel knows, whoever keeps the clock; a container's clock is its host's."""
    return in_container() or ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512)) not in (-1, CLOCK_UNSYNCHRONISED)


def ticket_problem(doc, clock=now, steady=synchronised):
    ticket = doc.get("ticket")
    if not ticket:
        return "it was born before. If all its etcd disks are lost, restore a snapshot: honest-paas snapshot restore"
    if ticket["cluster_uid"] != doc["cluster"]["uid"]:
        return "its ticket is another cluster's"
    if clock() > ticket["not_after"]:
        return "its ticket ended at %s; the clock says %s" % (ticket["not_after"], clock())
    if not steady():
        return "its clock is not synchronised yet, so its ticket proves nothing"
    return None


def decided(doc, state, members):
    write_json(START, {"state": state, "members": members, "number": doc["etcd"]["number"]})


def begin(doc, agreed):
    """This disk is one of the agreed set: etcd starts as new, or on what the snapshot gave."""
    if doc["etcd"]["number"]:
        from honest import restore

        restore.fill(doc, agreed)
    decided(doc, "new", {n: doc["members"][n] for n in agreed})


def settle(doc):
    """Decides how this member's etcd starts; raises Waiting until it is decided."""
    number, start, ticket = doc["etcd"]["number"], read_json(START), ticket_problem
    if peer.has_data() and start and start["number"] == number:
        return
    name, members, held = doc["node"]["name"], doc["members"], disk.number()
    if held > number:
        raise StageError("the etcd disk is of number %d, this machine is of %d, from before that restore: apply again" % (held, number))
    if held == number:
        lost()
    peers = {n: peer.ask(a) for n, a in sorted(members.items()) if n != name}
    if number:
        # sent to machines of a cluster that was restored, and to no others
        from honest import restore

        restore.settle(doc, peers)
        ticket = restore.problem
    mine = peer.answer(doc)
    if mine is None:
        raise StageError("the etcd disk cannot be read")
    action, detail = birth.decide(name, mine, peers, ticket(doc))
    if action == "live":
        # data without a decision: a disk of this node from before; etcd ignores the initial values then
        decided(doc, "existing", members)
    elif action == "write":
        strange = sorted(set(detail) - set(members))
        if strange:
            raise StageError("the birth that the others agreed on has %s; this machine's document has not" % ", ".join(strange))
        write_json(peer.SET, {"set": detail})
        if len(detail) > 1:
            raise Waiting("the birth of %s is written down; waiting for the others" % ", ".join(sorted(detail)))
        begin(doc, detail)
    elif action == "forget":
        os.remove(peer.SET)
        raise Waiting(detail)
    elif action == "start":
        begin(doc, detail)
    elif action == "join":
        decided(doc, "existing", join(doc, [members[n] for n, a in peers.items() if a and a["quorum"]]))
    else:
        raise Waiting(detail)


def etcdctl(addresses, *args, check=True):
    argv = ["etcdctl", "--endpoints=" + ",".join("https://%s:2379" % a for a in addresses), "--cacert=" + peer.CA]
    argv += ["--cert=" + peer.CERT, "--key=" + peer.KEY, "--command-timeout=10s", *args]
    return run(argv, check=check, timeout=30)


def join(doc, living):
    """Asks in under its own name: the old member of that name leaves, this disk comes as a learner."""
    name, address = doc["node"]["name"], own_address(doc)
    listed = json.loads(etcdctl(living, "member", "list", "-w", "json"))["members"]
    url = "https://%s:2380" % address
    for member in listed:
        if member.get("name") == name or url in member["peerURLs"]:
            if not member.get("name"):
                break
            etcdctl(living, "member", "remove", "%x" % member["ID"])
            raise Waiting("the member that %s was before has left; asking in next" % name)
    else:
        added = etcdctl(living, "member", "add", name, "--learner", "--peer-urls=" + url, check=False)
        if added.returncode != 0:
            raise Waiting("etcd does not take a new member now: %s" % added.stderr.strip().splitlines()[-1:])
    members = {m["name"]: m["peerURLs"][0].split("//")[1].rsplit(":", 1)[0] for m in listed if m.get("name") and m["name"] != name}
    return dict(members, **{name: address})


def promote(doc):
    """A learner that has caught up becomes a voter. It is asked for its status, since a learner is never healthy."""
    asked = etcdctl(["127.0.0.1"], "endpoint", "status", "-w", "json", check=False)
    if asked.returncode != 0:
        return
    status = json.loads(asked.stdout)[0]["Status"]
    if not status.get("isLearner"):
        return
    others = [a for n, a in doc["members"].items() if n != doc["node"]["name"]]
    done = etcdctl(others, "member", "promote", "%x" % status["header"]["member_id"], check=False)
    if done.returncode != 0:
        print("not promoted yet: %s" % " ".join(done.stderr.split()[-12:]), flush=True)


def start(doc):
    unit("honest-etcd", UNIT % {"mount": disk.MOUNT})
    # a birth needs the others' etcd too, so the unit is started without waiting and the health is asked for
    run(["systemctl", "start", "--no-block", "honest-etcd"])
    end = time.time() + 120
    while time.time() < end:
        promote(doc)
        healthy = etcdctl(["127.0.0.1"], "endpoint", "health", check=False)
        if healthy.returncode == 0:
            if not os.path.exists(peer.QUORUM):
                write(peer.QUORUM, now() + "\n")
            return
        if run(["systemctl", "is-failed", "honest-etcd"], check=False).returncode == 0:
            break
        time.sleep(0.5)
    said = run(["journalctl", "-u", "honest-etcd", "-n", "3", "-o", "cat", "--no-pager"], check=False).stdout.split("\n")
    raise Waiting("etcd has no quorum yet: %s" % " | ".join(x[-200:] for x in said if x))


def main():
    """Before each start of etcd. What it returns is the program's exit code."""
    try:
        check()
    except StageError as refused:
        print("%s: etcd does not start: %s" % (STATE, refused))
        return 1
