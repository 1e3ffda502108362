"""New certificates for the kubelet before their time, because another authority signs now.

Asked for with the kubelet's own name and its standing certificate, so no grant and no token is needed, and approved by the
same judgement as any other request of a kubelet. A step never waits.
"""

import base64
import os
import re
import subprocess
import time

import observe
from csr import CLIENT, PATH, SERVING

WANTED = {
    "kubelet-client": (CLIENT, ["digital signature", "client auth"]),
    "kubelet-server": (SERVING, ["digital signature", "server auth"]),
}
PATIENCE = 60
# when the last one was put in place: a kubelet that runs since before has not read it
MARK = "/honest-reissued"


def openssl(*argv, data=None):
    done = subprocess.run(["openssl", *argv], input=data, capture_output=True, text=True, timeout=10, check=False)
    if done.returncode != 0:
        raise ValueError("openssl %s: %s" % (argv[0], done.stderr.strip()[-200:]))
    return done.stdout


def names_in(path):
    """The names of a serving certificate as openssl takes them: "DNS:a,IP:10.0.0.1"."""
    text = openssl("x509", "-noout", "-ext", "subjectAltName", "-in", path)
    listed = [name.strip() for line in text.splitlines()[1:] for name in line.split(",")]
    return ",".join(re.sub("^IP Address:", "IP:", name) for name in listed if name)


def request(node, key, kind):
    argv = ["req", "-new", "-key", "/dev/stdin", "-subj", "/O=system:nodes/CN=system:node:" + node]
    if kind == "kubelet-server":
        argv += ["-addext", "subjectAltName=" + names_in(observe.KUBELET + "/kubelet-server-current.pem")]
    return openssl(*argv, data=key)


def place(kind, text, now):
    """As the kubelet itself keeps them: a file with the time in its name, and a link to the newest."""
    current = "%s/%s-current.pem" % (observe.KUBELET, kind)
    path = "%s/%s-%s.pem" % (observe.KUBELET, kind, time.strftime("%Y-%m-%d-%H-%M-%S", time.gmtime(now)))
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())
    link = current + ".part"
    if os.path.lexists(link):
        os.remove(link)
    os.symlink(path, link)
    os.rename(link, current)
    with open(observe.KUBELET + MARK, "w", encoding="utf-8"):
        pass


class Reissue:
    def __init__(self, api, node):
        self.api, self.node = api, node
        # of the request that is on its way: {"kind", "name", "key", "until"}
        self.asked = None

    def placed_after_start(self):
        """Whether the kubelet runs since before the last one was put in place."""
        mark, runs = observe.KUBELET + MARK, observe.running("kubelet")
        return runs is not None and os.path.exists(mark) and runs[0] <= os.stat(mark).st_mtime

    def step(self, kind, signer, chain, now):
        """Asks, or looks for the answer. True when a new certificate was put in place."""
        if self.asked is None or self.asked["kind"] != kind or not now < self.asked["until"] <= now + PATIENCE:
            self.ask(kind, now)
            return False
        found = self.api.get("%s/%s" % (PATH, self.asked["name"]))
        issued = ((found or {}).get("status") or {}).get("certificate")
        if not issued:
            return False
        made, key = base64.b64decode(issued).decode(), self.asked["key"]
        self.asked = None
        if observe.described(observe.certificate_in(made))["issuer"] != signer:
            # whoever signs has not heard of the new authority yet
            print("%s was signed by the authority from before; it is asked for again" % kind, flush=True)
            return False
        place(kind, made + chain + key, now)
        print("%s has a certificate of the new authority" % kind, flush=True)
        return True

    def ask(self, kind, now):
        key = openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout")
        signer, usages = WANTED[kind]
        body = {
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"generateName": "honest-paas-"},
            "spec": {
                "request": base64.b64encode(request(self.node, key, kind).encode()).decode(),
                "signerName": signer,
                "usages": usages,
            },
        }
        made = self.api.call("POST", PATH, body)
        self.asked = {"kind": kind, "name": made["metadata"]["name"], "key": key, "until": now + PATIENCE}
