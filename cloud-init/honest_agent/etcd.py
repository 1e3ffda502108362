"""What this control plane sees of etcd: the members, and who answers."""

import json
import subprocess

PKI = "/etc/kubernetes/pki/etcd/"


def etcdctl(*args, endpoints="https://127.0.0.1:2379"):
    argv = ["etcdctl", "--endpoints=" + endpoints, "--cacert=" + PKI + "ca.crt", "--cert=" + PKI + "peer.crt"]
    argv += ["--key=" + PKI + "peer.key", "--command-timeout=4s", *args, "-w", "json"]
    return subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False)


def members():
    """[{name, id, learner, answers}] or None when the local member cannot say."""
    listed = etcdctl("member", "list")
    if listed.returncode != 0:
        return None
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
            }
        )
    return sorted(found, key=lambda m: m["name"])


def leave(name):
    """Takes the member of that name out of etcd; leadership goes to another first. True when it is out."""
    all_members = members()
    if all_members is None:
        return False
    mine = [m for m in all_members if m["name"] == name]
    others = [m for m in all_members if m["name"] != name and m["answers"] and not m["learner"]]
    if not mine:
        return True
    if not others:
        return False
    etcdctl("move-leader", others[0]["id"])
    return etcdctl("member", "remove", mine[0]["id"]).returncode == 0
