"""Makes new certificates with kubeadm, beside the old ones, and puts them in place when they are good; starts static pods anew."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import time

import observe

CONFIG = "/etc/honest-paas/kubeadm-%s.yaml"
KUBEADM = "kubeadm"
# kubeadm's words for static pods
PODS = {"kube-apiserver": "apiserver", "kube-controller-manager": "controller-manager", "kube-scheduler": "scheduler"}
# a rotation's signer, of one certificate: the authority's own file is a bundle then
SIGNING = (("cert", "crt"), ("key", "key"))
# etcd is external to kubeadm, but these are made by it all the same
BY_LOCAL_ETCD = ("etcd-server", "etcd-peer", "etcd-healthcheck-client", "apiserver-etcd-client")


class RenewError(Exception):
    """The step failed and changed nothing; the text is what a person reads."""


def run(argv):
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as cause:
        raise RenewError("%s: %s" % (argv[0], cause)) from cause
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[:1]
        raise RenewError("%s ended with %d: %s" % (" ".join(argv[:5]), done.returncode, " ".join(said)[-300:]))
    return done.stdout


def configuration(kind, change):
    """The boot stage's kubeadm configuration with changes: change(cluster, init) edits both documents."""
    with open(CONFIG % kind, encoding="utf-8") as f:
        parts = [json.loads(part) for part in f.read().split("\n---\n")]
    by_kind = {part["kind"]: part for part in parts}
    change(by_kind["ClusterConfiguration"], by_kind["InitConfiguration"])
    return "\n---\n".join(json.dumps(part, indent=1, sort_keys=True) for part in parts)


def written(path, text):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as f:
        f.write(text)
    return path


def stage():
    """A folder on the same file system as the files that will move out of it; the authorities as links."""
    clear()
    folder = observe.KUBERNETES + "/.renew"
    os.makedirs(folder + "/etcd", 0o700)
    for path in observe.AUTHORITIES.values():
        for end in (".crt", ".key"):
            os.symlink("%s/%s%s" % (observe.PKI, path, end), folder + "/" + path + end)
    return folder


def clear():
    """The stage of a step, or of an agent that was ended in the middle of one: it holds keys."""
    folder = observe.KUBERNETES + "/.renew"
    if os.path.isdir(folder):
        shutil.rmtree(folder)


def judge(path, authority, lifetime, now):
    """Raises RenewError when the new certificate is not what was wanted."""
    made = observe.on_disk(path)
    if made["ends"] is None:
        raise RenewError("kubeadm made no certificate at %s" % path)
    if not now + lifetime / 2 < made["ends"] <= now + lifetime + 120:
        raise RenewError("kubeadm made a certificate for %d s instead of %d s" % (made["ends"] - now, lifetime))
    if path.endswith(".crt"):
        run(["openssl", "verify", "-CAfile", "%s/%s.crt" % (observe.PKI, observe.AUTHORITIES[authority]), path])
        public = run(["openssl", "x509", "-noout", "-pubkey", "-in", path])
        if run(["openssl", "pkey", "-pubout", "-in", path[:-3] + "key"]) != public:
            raise RenewError("kubeadm made a key that does not belong to its certificate")


def trusting(kubeconfig):
    """kubeadm writes the first authority of a bundle only; a client trusts them all."""
    with open(kubeconfig, encoding="utf-8") as f:
        text = f.read()
    with open(observe.PKI + "/ca.crt", "rb") as f:
        bundle = base64.b64encode(f.read()).decode()
    written(kubeconfig, re.sub(r"(certificate-authority-data: *)\S+", lambda found: found.group(1) + bundle, text))


def renew(name, lifetime, ca_ends):
    """Makes the certificate of that name anew. Nothing is changed before the new one is known to be good."""
    now = time.time()
    if ca_ends is not None:
        lifetime = int(min(lifetime, ca_ends - now))
    folder = stage()
    try:

        def change(cluster, init):
            cluster["certificatesDir"] = folder
            cluster["certificateValidityPeriod"] = "%ds" % lifetime

        kind = "local" if name in BY_LOCAL_ETCD else "external"
        config = written(folder + "/kubeadm.yaml", configuration(kind, change))
        if name in observe.FILES:
            path, authority = observe.FILES[name]
            run([KUBEADM, "init", "phase", "certs", name, "--config", config])
            judge("%s/%s.crt" % (folder, path), authority, lifetime, now)
            # between the two a reader meets a pair that does not match, for microseconds, and asks again
            for end in (".key", ".crt"):
                os.rename(folder + "/" + path + end, "%s/%s%s" % (observe.PKI, path, end))
        else:
            run([KUBEADM, "init", "phase", "kubeconfig", name[: -len(".conf")], "--config", config, "--kubeconfig-dir", folder])
            judge("%s/%s" % (folder, name), "ca", lifetime, now)
            trusting(folder + "/" + name)
            os.rename("%s/%s" % (folder, name), "%s/%s" % (observe.KUBERNETES, name))
    finally:
        clear()


def restart(component, lifetime, why):
    """Writes the static pod's manifest with a mark of the reason: kubelet ends the old pod and starts the new one.

    The same reason twice is the same manifest, so nothing happens a second time. Not by ending the container: kubelet
    lets a container that ended wait longer each time.
    """
    folder = stage()
    try:
        mark = hashlib.sha256(why.encode()).hexdigest()[:12]
        patch = {"metadata": {"annotations": {"honest-paas.dev/started-for": mark}}}
        os.mkdir(folder + "/patches")
        written("%s/patches/%s+merge.json" % (folder, component), json.dumps(patch))

        def change(cluster, init):
            init["patches"] = {"directory": folder + "/patches"}
            manager = cluster["controllerManager"]
            flags = {"cluster-signing-duration": "%ds" % lifetime}
            if os.path.exists(observe.PKI + "/signing.crt"):
                flags.update({"cluster-signing-%s-file" % what: "%s/signing.%s" % (observe.PKI, end) for what, end in SIGNING})
            kept = [arg for arg in manager.get("extraArgs") or [] if arg["name"] not in flags]
            manager["extraArgs"] = kept + [{"name": name, "value": value} for name, value in sorted(flags.items())]

        config = written(folder + "/kubeadm.yaml", configuration("external", change))
        run([KUBEADM, "init", "phase", "control-plane", PODS[component], "--config", config])
    finally:
        clear()


def restart_etcd(node, members):
    """Starts the local etcd anew when all others answer. members: as etcd.members() says."""
    silent = [m["name"] for m in members or [] if m["name"] != node and not m["answers"]]
    if members is None or silent:
        who = ", ".join(silent) + " of etcd does not answer" if silent else "etcd's members cannot be read"
        raise RenewError("%s; this one goes on as it is until they do" % who)
    run(["systemctl", "restart", "honest-etcd"])
