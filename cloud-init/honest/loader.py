"""Fetches the agent from the cluster with the node's own credentials and keeps it running; the last good one stays."""

import base64
import hashlib
import http.client
import io
import json
import os
import ssl
import subprocess
import sys
import tarfile
import time

from honest.document import control_plane, load, node_name
from honest.host import PKI, STATE, StageError, lasts, read, run, write
from honest.kubelet import CERTIFICATE

AGENT = STATE + "/agent"
PATH = "/api/v1/namespaces/kube-system/configmaps/honest-paas-agent"
# an agent that ends sooner is no good here
TRIAL_SECONDS = 60
ROUND_SECONDS = 30
PAUSE_SECONDS = 5
FIRST_SECONDS = 1


def credentials(doc):
    """A worker has its kubelet's certificate; a control plane makes one of its own out of the client CA."""
    if not control_plane(doc):
        return CERTIFICATE
    pem, key, request = AGENT + ".pem", AGENT + ".key", AGENT + ".csr"
    days = max(1, doc["leaf_seconds"] // 86400)
    # renewed at its last third
    if lasts(pem, days * 28800):
        return pem
    subject = "/O=honest-paas:agents/CN=honest-paas:agent:" + node_name(doc)
    write(key, run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"]), 0o600)
    run(["openssl", "req", "-new", "-key", key, "-subj", subject, "-out", request])
    ca = PKI + "/client-ca"
    made = run(["openssl", "x509", "-req", "-in", request, "-CA", ca + ".crt", "-CAkey", ca + ".key", "-days", str(days)])
    write(pem, made + read(key), 0o600)
    return pem


def get(doc, path):
    context = ssl.create_default_context(cafile=PKI + "/ca.crt")
    context.load_cert_chain(credentials(doc))
    link = http.client.HTTPSConnection(doc["endpoint"]["name"], doc["endpoint"]["port"], timeout=10, context=context)
    try:
        link.request("GET", path)
        reply = link.getresponse()
        body = reply.read()
        return json.loads(body) if reply.status == 200 else None
    finally:
        link.close()


def unpack(wanted, data):
    """The archive below its own digest, or nothing when it is not what it says."""
    got = hashlib.sha256(data).hexdigest()
    if got != wanted:
        raise StageError("the agent's archive has sha256 %s, the cluster says %s" % (got, wanted))
    folder = "%s/%s" % (AGENT, wanted[:12])
    if not os.path.isdir(folder):
        part = folder + ".part"
        os.makedirs(part, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar:
                if member.isfile():
                    write("%s/%s" % (part, os.path.basename(member.name)), tar.extractfile(member).read().decode())
        os.rename(part, folder)
    write(AGENT + "/current", wanted[:12])


def refresh(doc):
    found = get(doc, PATH)
    if found is not None:
        unpack(found["data"]["sha256"], base64.b64decode(found["binaryData"]["agent.tar.gz"]))


def recorded(name):
    path = "%s/%s" % (AGENT, name)
    return read(path).strip() if os.path.exists(path) else None


def choose(wanted, good, bad):
    """The version to run: what the cluster hands out, unless it fell over here and another one did not."""
    return good if wanted in bad and good else wanted


def judge(ended, seconds):
    """What a version has shown that was started so many seconds ago: "good", "bad", or nothing yet. One that ends after a
    long life is started again, and is no worse than it was."""
    tried = seconds > TRIAL_SECONDS
    return None if ended is tried else "bad" if ended else "good"


def main():
    doc, running, child, began, bad = load(), None, None, 0.0, set()
    os.makedirs(AGENT, exist_ok=True)
    while True:
        try:
            # a worker has no credentials before it has joined
            if control_plane(doc) or os.path.exists(CERTIFICATE):
                refresh(doc)
        except (OSError, StageError, ValueError, KeyError, http.client.HTTPException) as cause:
            print("the agent is not fetched: %s" % cause, flush=True)
        ended = child is not None and child.poll() is not None
        shown = child and judge(ended, time.monotonic() - began)
        if shown == "bad":
            print("agent %s ended with %d" % (running, child.returncode), flush=True)
            bad.add(running)
        elif shown and running != recorded("good"):
            write(AGENT + "/good", running)
        version = choose(recorded("current"), recorded("good"), bad)
        if version and (version != running or ended):
            if child is not None:
                child.terminate()
                child.wait()
            folder = "%s/%s" % (AGENT, version)
            env = dict(os.environ, HONEST_NODE=node_name(doc), HONEST_CERT=credentials(doc), HONEST_AGENT=version)
            child, running, began = subprocess.Popen([sys.executable, folder + "/main.py"], env=env), version, time.monotonic()
        try:
            # the birth of a cluster waits for the first agent, so the first one is looked for often
            if child is None:
                time.sleep(FIRST_SECONDS)
                continue
            child.wait(ROUND_SECONDS)
            # it ended: not again at once
            time.sleep(PAUSE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
