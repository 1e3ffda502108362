"""Which certificate requests a control plane approves. The judgement is pure; reading a request is openssl's work."""

import base64
import json
import os
import re
import subprocess
import time

import events
from api import ApiError

CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING = "kubernetes.io/kubelet-serving"
PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


def parse(request):
    """Subject and names of a PEM request: {"cn", "o", "dns", "ips"}."""
    argv = ["openssl", "req", "-noout", "-text", "-nameopt", "RFC2253"]
    text = subprocess.run(argv, input=request, capture_output=True, text=True, timeout=10, check=True).stdout
    subject = re.search(r"Subject: ?(.*)", text)
    parts = re.split(r"(?<!\\),\s*", subject.group(1) if subject else "")
    named = [p.split("=", 1) for p in parts if "=" in p]
    names = re.search(r"Subject Alternative Name:.*\n\s*(.*)", text)
    listed = names.group(1).split(", ") if names else []
    return {
        "cn": [v for k, v in named if k.strip() == "CN"],
        "o": [v for k, v in named if k.strip() == "O"],
        "dns": sorted(n[4:] for n in listed if n.startswith("DNS:")),
        "ips": sorted(n[11:] for n in listed if n.startswith("IP Address:")),
    }


def judge_client(user, subject, grant, live):
    """Reason to refuse a client request, or None.

    grant: {"node", "machine_id"} of the token's Secret, or None; live: machine id of a living Node of that name ("" when it
    does not say), or None.
    """
    if len(subject["cn"]) != 1 or subject["o"] != ["system:nodes"]:
        return "its subject is not one node's"
    if subject["dns"] or subject["ips"]:
        return "a client certificate carries no names"
    wanted = subject["cn"][0]
    if user == wanted:
        return None
    if not user.startswith("system:bootstrap:"):
        return "%s may not ask for %s" % (user, wanted)
    if grant is None:
        return "there is no grant for its token"
    if wanted != "system:node:" + grant["node"]:
        return "its token was granted to %s, it asks for %s" % (grant["node"], wanted)
    if live is not None and live != grant["machine_id"]:
        return "a living node %s is machine %s" % (grant["node"], live or "that does not say which")
    return None


def judge_serving(user, subject, addresses):
    """Reason to refuse a serving request, or None. addresses: what the provider wrote for the node, or None."""
    if len(subject["cn"]) != 1 or subject["cn"][0] != user or subject["o"] != ["system:nodes"]:
        return "%s asks for %s" % (user, subject["cn"])
    name = user[len("system:node:") :]
    if addresses is None:
        return "no addresses of %s are known" % name
    strangers = [n for n in subject["dns"] if n != name] + [a for a in subject["ips"] if a not in addresses]
    if strangers:
        return "%s is not %s's" % (", ".join(strangers), name)
    if not subject["dns"] and not subject["ips"]:
        return "it carries no name"
    return None


def pending(api):
    found = api.get(PATH + "?limit=500") or {"items": []}
    wanted = (CLIENT, SERVING)
    return [c for c in found["items"] if not c.get("status", {}).get("conditions") and c["spec"]["signerName"] in wanted]


def grant_of(api, user):
    token = user[len("system:bootstrap:") :]
    secret = api.get("/api/v1/namespaces/kube-system/secrets/bootstrap-token-" + token)
    if secret is None:
        return None
    notes = secret["metadata"].get("annotations", {})
    node, machine = notes.get("honest-paas.dev/node"), notes.get("honest-paas.dev/machine-id")
    return {"node": node, "machine_id": machine} if node and machine else None


def live_machine(api, name):
    """Machine id of a Node of that name that is Ready, or None. What a node writes of itself may be anything."""
    node = api.get("/api/v1/nodes/" + name)
    if node is None:
        return None
    ready = [c["status"] for c in node["status"].get("conditions", []) if c["type"] == "Ready"]
    if ready != ["True"]:
        return None
    try:
        status = json.loads(node["metadata"].get("annotations", {}).get("honest-paas.dev/status", "{}"))
    except ValueError:
        return ""
    return str(status.get("machine_id") or "") if isinstance(status, dict) else ""


def refusal(api, csr):
    user = csr["spec"]["username"]
    subject = parse(base64.b64decode(csr["spec"]["request"]).decode())
    if csr["spec"]["signerName"] == SERVING:
        book = (api.get("/api/v1/namespaces/kube-system/configmaps/honest-paas-addresses") or {}).get("data") or {}
        listed = book.get(user[len("system:node:") :])
        return judge_serving(user, subject, json.loads(listed) if listed else None)
    grant = grant_of(api, user) if user.startswith("system:bootstrap:") else None
    return judge_client(user, subject, grant, live_machine(api, grant["node"]) if grant else None)


def approve(api, csr, now):
    """False when somebody else changed it meanwhile."""
    name = csr["metadata"]["name"]
    csr.setdefault("status", {})["conditions"] = [
        {
            "type": "Approved",
            "status": "True",
            "reason": "HonestGrant",
            "message": "checked against what the provider wrote",
            "lastUpdateTime": now,
        }
    ]
    try:
        api.call("PUT", "%s/%s/approval" % (PATH, name), csr)
    except ApiError as cause:
        # another control plane was first; if it was not an approval, the next round sees the request again
        if cause.status != 409:
            raise
        return False
    return True


def spend(api, csr):
    """A grant is for one join: its Secret goes as soon as it was used."""
    user = csr["spec"]["username"]
    if user.startswith("system:bootstrap:"):
        api.call("DELETE", "/api/v1/namespaces/kube-system/secrets/bootstrap-token-" + user[len("system:bootstrap:") :])


def round_of(api, now, told):
    """Approves what may be approved; says once why something may not."""
    for csr in pending(api):
        name = csr["metadata"]["name"]
        try:
            why = refusal(api, csr)
        except (subprocess.SubprocessError, ValueError, KeyError) as cause:
            # one that cannot be read does not hold up the others
            why = "the request cannot be judged: %s %s" % (cause, (getattr(cause, "stderr", None) or "").strip())
        if why is None:
            if not approve(api, csr, now):
                continue
            spend(api, csr)
            print("approved %s of %s" % (csr["spec"]["signerName"], csr["spec"]["username"]), flush=True)
        elif told.get(name) != why:
            told[name] = why
            user = csr["spec"]["username"]
            # a token has no node: the event stands at who approves then
            node = user[len("system:node:") :] if user.startswith("system:node:") else os.environ["HONEST_NODE"]
            message = "%s of %s is not approved: %s" % (csr["spec"]["signerName"], user, why)
            events.record(api, node, "Warning", "CertificateRefused", message, time.time(), "honest-paas-refused-" + name)
