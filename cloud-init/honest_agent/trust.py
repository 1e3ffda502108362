"""Keeps what this machine trusts and signs with where a rotation of the authorities is: files, the kubelet, and a report.

Every look begins from what is there, so a machine that was made anew in the middle, or rebooted into its old document, is
brought along like any other. What restarts a component stands in the keeper, under its Lease.
"""

import base64
import http.client
import json
import os
import re
import subprocess

import certificates
import observe
from api import ApiError
from reissue import Reissue, openssl

SECRET = "/api/v1/namespaces/kube-system/secrets/honest-paas-rotation"
CONFIG_MAP = "/api/v1/namespaces/kube-system/configmaps/honest-paas-trust"
AGENT = "/var/lib/honest-paas/agent"
# name in a set: name of observe.AUTHORITIES
NAMES = {"ca": "ca", "client_ca": "client-ca", "etcd_ca": "etcd-ca", "front_proxy_ca": "front-proxy-ca"}
KUBECONFIGS = ("admin.conf", "super-admin.conf", "controller-manager.conf", "scheduler.conf", "kubelet.conf")
SIGNING = "signing"
IDLE_SECONDS, BUSY_SECONDS = 15, 2
KUBELET_SECONDS = 30


def blocks(text):
    return [block + "\n" for block in observe.BLOCK.findall(text)]


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return None


def place(path, text, mode=0o644, before=None):
    """Writes beside and renames. `before`: the time of change that the file keeps, when nobody has to read it again.

    What is beside has one name, so that what a crash leaves, which may be a key, goes with the next one.
    """
    part = path + ".part"
    try:
        # not what stands there: its mode would stay, and a link would lead elsewhere
        if os.path.lexists(part):
            os.remove(part)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            os.fsync(f.fileno())
        os.chmod(part, mode)
        if before is not None:
            os.utime(part, (before, before))
        os.rename(part, path)
    except OSError:
        if os.path.lexists(part):
            os.remove(part)
        raise


def kept_time(path, old, new):
    """The file's time when old and new are the same certificates in another order, else None."""
    same = old is not None and sorted(blocks(old)) == sorted(blocks(new))
    return os.stat(path).st_mtime if same else None


def put(path, text, mode=0o644):
    """Brings a file to that text; True when it was another."""
    old = read(path)
    if old == text:
        return False
    place(path, text, mode, kept_time(path, old, text))
    return True


def with_authority(kubeconfig, bundle):
    """A kubeconfig that trusts the bundle's certificates, or None when it does already."""
    found = re.search(r"certificate-authority-data: *(\S+)", kubeconfig)
    if found is None:
        return None
    now = blocks(base64.b64decode(found.group(1)).decode())
    if sorted(now) == sorted(blocks(bundle)):
        return None
    return kubeconfig[: found.start(1)] + base64.b64encode(bundle.encode()).decode() + kubeconfig[found.end(1) :]


def with_chain(leaf, chain):
    """A leaf's file with what travels with it, or None when it is so already."""
    wanted = blocks(leaf)[0] + chain
    return None if leaf == wanted else wanted


def signed_here(path, authority):
    """Whether the first certificate of the file is signed by the first of the authority's."""
    return observe.on_disk(path)["issuer"] == observe.on_disk(authority)["subject"] is not None


def behind(seen, stale, now):
    """What keeps a control plane from saying that it has reached the state: names, in the order of the work."""
    found = [leaf["name"] for leaf in seen["leaves"] if leaf["foreign"] or (leaf["by"] == "kit" and certificates.unsettled(leaf, now))]
    return sorted(set(found) | {component for component, _ in stale})


class Trust:
    def __init__(self, api, doc, node, boot_is_done, kubelet_api=None):
        """boot_is_done: until then the files are the boot stage's. kubelet_api: asks as this machine's kubelet."""
        self.api, self.doc, self.node, self.boot_is_done = api, doc, node, boot_is_done
        self.control_plane = doc["node"]["role"] == "control-plane"
        self.reissue = Reissue(kubelet_api or api, node)
        self.set, self.next_look, self.booted, self.said, self.waits = None, 0.0, False, None, None
        self.kubelet_at, self.seen, self.problem = 0.0, None, None

    # --- what is wanted

    def wanted(self):
        if not self.control_plane:
            found = self.api.get(CONFIG_MAP)
            return json.loads(found["data"]["set"]) if found else None
        found = self.api.get(SECRET)
        return json.loads(base64.b64decode(found["data"]["set"])) if found else None

    def look(self):
        """A set that cannot be read leaves the one before in force: what was trusted stays so."""
        try:
            self.set = self.wanted()
            self.problem = None
        except (OSError, ApiError, ValueError, KeyError, http.client.HTTPException) as cause:
            text = "what is to be trusted cannot be read: %s" % cause
            if text != self.problem:
                print(text, flush=True)
            self.problem = text

    @property
    def busy(self):
        return self.set is not None and self.waits is not None

    @property
    def blind(self):
        """Nobody has looked at the certificates since the files changed."""
        return self.busy and self.booted and self.seen is None

    # --- files

    def bring(self):
        """The files of this machine; what was changed, by path."""
        return (self.bring_control_plane if self.control_plane else self.bring_worker)(self.set["authorities"])

    def bring_worker(self, wanted):
        path = observe.PKI + "/ca.crt"
        return [path] if put(path, wanted["ca"]["trust"]) else []

    def bring_control_plane(self, wanted):
        pki, changed = observe.PKI, []

        def write(path, text, mode=0o644):
            if put(path, text, mode):
                changed.append(path)

        # with a bundle as its signer a controller manager does not even start: it signs with a file of one certificate before
        # the authority's own becomes a bundle
        key = wanted["ca"]["key"] or read(pki + "/ca.key")
        if key is None:
            raise ValueError("there is no %s/ca.key, and the rotation brings none in this state" % pki)
        write("%s/%s.key" % (pki, SIGNING), key, 0o600)
        write("%s/%s.crt" % (pki, SIGNING), blocks(wanted["ca"]["trust"])[0])
        if not self.signs_apart():
            return changed
        for name, part in wanted.items():
            path = "%s/%s" % (pki, observe.AUTHORITIES[NAMES[name]])
            if part["key"]:
                write(path + ".key", part["key"], 0o600)
            write(path + ".crt", part["trust"])
        write(pki + "/client-bundle.crt", wanted["ca"]["trust"] + wanted["client_ca"]["trust"])
        chains = {NAMES[name]: part["chain"] for name, part in wanted.items()}
        for path, authority in observe.FILES.values():
            file = "%s/%s.crt" % (pki, path)
            text = read(file)
            if text is None or not blocks(text):
                continue
            ours = signed_here(file, "%s/%s.crt" % (pki, observe.AUTHORITIES[authority]))
            dressed = with_chain(text, chains[authority] if ours else "")
            if dressed is not None:
                place(file, dressed, 0o644, os.stat(file).st_mtime)
                changed.append(file)
        for name in KUBECONFIGS:
            file = "%s/%s" % (observe.KUBERNETES, name)
            text = read(file)
            dressed = None if text is None else with_authority(text, wanted["ca"]["trust"])
            if dressed is not None:
                place(file, dressed, 0o600)
                changed.append(file)
        self.own_certificate()
        return changed

    def own_certificate(self):
        """The agent's own, as the boot stage's loader makes it, when another authority signs now."""
        authority, pem = observe.PKI + "/client-ca", AGENT + ".pem"
        if not os.path.exists(pem) or signed_here(pem, authority + ".crt"):
            return
        days = str(max(1, self.doc["leaf_seconds"] // 86400))
        subject = "/O=honest-paas:agents/CN=honest-paas:agent:" + self.node
        key = openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout")
        request = openssl("req", "-new", "-key", "/dev/stdin", "-subj", subject, data=key)
        made = openssl("x509", "-req", "-CA", authority + ".crt", "-CAkey", authority + ".key", "-days", days, data=request)
        place(pem, made + key, 0o600)

    # --- processes

    def signs_apart(self):
        """Whether the controller manager is told to sign with the file of one certificate; with one authority it need not."""
        if len(blocks(self.set["authorities"]["ca"]["trust"])) == 1:
            return True
        manifest = read(observe.KUBERNETES + "/manifests/kube-controller-manager.yaml") or ""
        return "--cluster-signing-cert-file=%s/%s.crt" % (observe.PKI, SIGNING) in manifest

    def stale(self):
        """(component, why) of what runs with authorities that are others by now; the keeper starts them anew, one at a time."""
        if self.set is None or not self.control_plane:
            return []
        found, path = [], observe.PKI + "/etcd/ca.crt"
        changed, several = os.stat(path).st_mtime, len(blocks(read(path))) > 1
        etcd, api = observe.running("etcd"), observe.running("kube-apiserver")
        if etcd and etcd[0] <= changed:
            found.append(("etcd", "the authorities that it trusts are others than at its start"))
        # towards its etcd the API server may go on with more than it needs, until the old one is forgotten
        if api and api[0] <= changed and not several:
            found.append(("kube-apiserver", "it still trusts the authority from before towards etcd"))
        if not self.signs_apart() and os.path.exists("%s/%s.crt" % (observe.PKI, SIGNING)):
            found.append(("kube-controller-manager", "it does not sign with %s.crt" % SIGNING))
        return found

    def kubelet_is_stale(self):
        paths = [observe.PKI + "/ca.crt"] + ([observe.KUBERNETES + "/kubelet.conf"] if self.control_plane else [])
        runs = observe.running("kubelet")
        return runs is not None and runs[0] <= max(os.stat(path).st_mtime for path in paths)

    def restart_kubelet(self, now):
        """Pods run on. try: one that was stopped on purpose stays stopped."""
        if self.kubelet_at <= now < self.kubelet_at + KUBELET_SECONDS:
            return
        self.kubelet_at = now
        print("kubelet is started anew: it reads its authorities once", flush=True)
        subprocess.run(["systemctl", "try-restart", "--no-block", "kubelet"], timeout=20, check=True)

    def kubelet(self, now):
        """What is still to be done of the kubelet; at most one step of it is done."""
        leaves = {leaf["name"]: leaf for leaf in observe.own_kubelet()}
        signer = observe.on_disk(observe.PKI + "/ca.crt")["subject"]
        foreign = [name for name, leaf in sorted(leaves.items()) if leaf["issuer"] not in (None, signer)]
        if foreign and self.set["state"] != "create":
            self.reissue.step(foreign[0], signer, self.set["authorities"]["ca"]["chain"], now)
            return foreign
        served = leaves["kubelet-server"]["served"]
        serves_old = self.set["state"] != "create" and served is not None and served["issuer"] != signer
        if self.kubelet_is_stale() or self.reissue.placed_after_start() or serves_old:
            self.restart_kubelet(now)
            return ["kubelet"]
        return [name for name, leaf in sorted(leaves.items()) if leaf["ends"] is None]

    # --- the round

    def round(self, now):
        # a clock that was set back must not hold it up
        if now < self.next_look <= now + IDLE_SECONDS:
            return
        self.next_look = now + IDLE_SECONDS
        self.look()
        if self.set is None:
            return
        # each time: a machine that comes back into service has its boot stage work again
        self.booted = self.boot_is_done()
        if not self.booted:
            self.waits = "its boot stage is not done"
            return
        # until the end of this round proves the contrary; what fails below leaves it standing
        self.waits = "its files are not there yet"
        changed = self.bring()
        if changed:
            self.seen = None
        for path in changed:
            print("%s is as %s of rotation %d has it" % (path, self.set["state"], self.set["number"]), flush=True)
        left = self.kubelet(now)
        if self.control_plane:
            left = left + (["certificates"] if self.seen is None else behind(self.seen, self.stale(), now))
        self.waits = ", ".join(sorted(set(left))) + " to be renewed or started anew" if left else None
        self.next_look = now + (BUSY_SECONDS if self.waits else IDLE_SECONDS)

    def observed(self, seen):
        """What the keeper saw of the certificates."""
        self.seen = seen

    def carried(self):
        """Whether the boot document has the authority that signs now."""
        return blocks(self.doc["pki"]["ca_cert"])[:1] == blocks(self.set["authorities"]["ca"]["trust"])[:1]

    def notes(self):
        if self.set is None:
            return {}
        trusted = [observe.described(der)["digest"][:12] for der in observe.all_in(observe.PKI + "/ca.crt")]
        said = {
            "number": self.set["number"],
            "state": self.set["state"],
            "waits": self.waits,
            "document": self.carried(),
            "trusts": trusted,
        }
        return {"honest-paas.dev/trust": json.dumps(said, sort_keys=True)}
