"""What this control plane sees of etcd: the members, and who answers."""

import json
import subprocess

PKI = "/etc/kubernetes/pki/etcd/"


def etcdctl(*args, endpoints="https://127.0.0.1:2379", timeout=20):
    argv = ["etcdctl", "--endpoints=" + endpoints, "--cacert=" + PKI + "ca.crt", "--cert=" + PKI + "peer.crt"]
    argv += ["--key=" + PKI + "peer.key", "--command-timeout=%ds" % (timeout // 5), *args, "-w", "json"]
    return subprocess.run(argv, capture_output=True, text=True, timeout=timeout, check=False)


def leading():
    """Id of the member that leads, as the local one sees it; 0 = nobody, or it cannot say."""
    asked = etcdctl("endpoint", "status")
    return json.loads(asked.stdout)[0]["Status"]["leader"] if asked.returncode == 0 else 0


def members():
    """[{name, id, learner, answers, leader}] or None when the local member cannot say."""
    listed = etcdctl("member", "list")
    if listed.returncode != 0:
        return None
    leader = leading()
    found = []
    for member in json.loads(listed.stdout)["members"]:
        urls = member.get("clientURLs") or []
        health = etcdctl("endpoint", "health", endpoints=",".join(urls)) if urls else None
        found.append(
            {
                "name": member.get("name", ""),
                "id": "%x" % member["ID"],
                "learner": bool(member.get("isLearner")),
                "answers": health is not None and health.returncode == 0,
                "leader": member["ID"] == leader,
            }
        )
    return sorted(found, key=lambda m: m["name"])


def addresses(name):
    """Addresses of the members other than `name`, learners left out; none when the local member cannot say."""
    listed = etcdctl("member", "list")
    if listed.returncode != 0:
        return []
    others = [m for m in json.loads(listed.stdout)["members"] if m.get("name") != name and not m.get("isLearner")]
    urls = sorted(url for m in others for url in m.get("clientURLs") or [])
    return [url.split("//", 1)[1].rsplit(":", 1)[0] for url in urls]


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
    listed = etcdctl("member", "list", endpoints=asked)
    return listed.returncode == 0 and name not in [m.get("name") for m in json.loads(listed.stdout)["members"]]
