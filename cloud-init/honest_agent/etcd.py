"""What this control plane sees of etcd: the members, and who answers."""

import base64
import http.client
import json
import subprocess

from link import Link

PKI = "/etc/kubernetes/pki/etcd/"
ANSWER_SECONDS = 4
# by address
links = {}


def etcdctl(*args, endpoints="https://127.0.0.1:2379", timeout=20):
    argv = ["etcdctl", "--endpoints=" + endpoints, "--cacert=" + PKI + "ca.crt", "--cert=" + PKI + "peer.crt"]
    argv += ["--key=" + PKI + "peer.key", "--command-timeout=%ds" % (timeout // 5), *args, "-w", "json"]
    return subprocess.run(argv, capture_output=True, text=True, timeout=timeout, check=False)


def ask(address, path, body):
    """The answer of the member at that address as data, or None. Asked all the time, so without a program for each question."""
    link = links.get(address)
    if link is None:
        if len(links) > 20:
            links.clear()
        link = links[address] = Link(address, 2379, (PKI + "ca.crt", PKI + "peer.crt", PKI + "peer.key"), ANSWER_SECONDS)
    try:
        status, text = link.send("POST", path, json.dumps(body), {"content-type": "application/json"}, reads=True)
        return json.loads(text) if status == 200 else None
    except (OSError, ValueError, http.client.HTTPException):
        return None


def answers(address):
    """Whether that member takes part: a read that a majority has to confirm, as etcdctl endpoint health does it."""
    return ask(address, "/v3/kv/range", {"key": base64.b64encode(b"health").decode()}) is not None


def listed():
    """[{ID, name, clientURLs, isLearner}] as the local member has it, or None."""
    found = ask("127.0.0.1", "/v3/cluster/member/list", {"linearizable": True})
    return None if found is None else found["members"]


def leading():
    """Id of the member that leads, as the local one sees it; 0 = nobody, or it cannot say."""
    return int((ask("127.0.0.1", "/v3/maintenance/status", {}) or {}).get("leader", 0))


def members():
    """[{name, id, learner, answers, leader}] or None when the local member cannot say."""
    known = listed()
    if known is None:
        return None
    leader = leading()
    found = []
    for member in known:
        urls = member.get("clientURLs") or []
        # 64 bits, which JSON carries as text
        number = int(member["ID"])
        found.append(
            {
                "name": member.get("name", ""),
                "id": "%x" % number,
                "learner": bool(member.get("isLearner")),
                "answers": any([answers(address_of(url)) for url in urls]),
                "leader": number == leader,
            }
        )
    return sorted(found, key=lambda m: m["name"])


def address_of(url):
    return url.split("//", 1)[1].rsplit(":", 1)[0]


def addresses(name):
    """Addresses of the members other than `name`, learners left out; none when the local member cannot say."""
    others = [m for m in listed() or [] if m.get("name") != name and not m.get("isLearner")]
    return [address_of(url) for url in sorted(url for m in others for url in m.get("clientURLs") or [])]


def hand_over(name):
    """If the local member leads, one that answers leads from now on."""
    others = [m for m in members() or [] if m["name"] != name and m["answers"] and not m["learner"]]
    if others:
        # refused by a member that does not lead: then there is nothing to hand over
        etcdctl("move-leader", others[0]["id"])


def remove(member):
    """Takes the member of that id out of etcd. True when it is out."""
    done = etcdctl("member", "remove", member)
    if done.returncode != 0:
        print("member %s is not removed: %s" % (member, done.stderr.strip()[-200:]), flush=True)
    return done.returncode == 0


def leave(name):
    """Takes the own member of that name out of etcd; leadership goes to another first. True when it is out.

    Asked of the others: a member that takes itself out stops before its answer is there.
    """
    all_members = members()
    if all_members is None:
        return False
    mine = [m for m in all_members if m["name"] == name]
    others = [m for m in all_members if m["name"] != name and m["answers"] and not m["learner"]]
    if not mine:
        return True
    asked = ",".join("https://%s:2379" % address for address in addresses(name))
    if not others or not asked:
        return False
    etcdctl("move-leader", others[0]["id"])
    done = etcdctl("member", "remove", mine[0]["id"], endpoints=asked)
    if done.returncode == 0:
        return True
    print("%s has not left etcd: %s" % (name, done.stderr.strip()[-200:]), flush=True)
    left = etcdctl("member", "list", endpoints=asked)
    return left.returncode == 0 and name not in [m.get("name") for m in json.loads(left.stdout)["members"]]
