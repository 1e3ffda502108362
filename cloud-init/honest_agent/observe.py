"""What stands on the disk, what is served and what runs: facts about certificates, without a judgement."""

import base64
import hashlib
import os
import re
import socket
import ssl
import subprocess

KUBERNETES = "/etc/kubernetes"
PKI = KUBERNETES + "/pki"
KUBELET = "/var/lib/kubelet/pki"
PROC = "/proc"
BLOCK = re.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.S)
AUTHORITIES = {"ca": "ca", "client-ca": "client-ca", "front-proxy-ca": "front-proxy-ca", "etcd-ca": "etcd/ca"}
# name: file below PKI, its authority
FILES = {
    "apiserver": ("apiserver", "ca"),
    "apiserver-kubelet-client": ("apiserver-kubelet-client", "ca"),
    "apiserver-etcd-client": ("apiserver-etcd-client", "etcd-ca"),
    "front-proxy-client": ("front-proxy-client", "front-proxy-ca"),
    "etcd-server": ("etcd/server", "etcd-ca"),
    "etcd-peer": ("etcd/peer", "etcd-ca"),
    "etcd-healthcheck-client": ("etcd/healthcheck-client", "etcd-ca"),
}
# name: static pod that reads it once, at its start
CONFIGS = {
    "admin.conf": None,
    "super-admin.conf": None,
    "controller-manager.conf": "kube-controller-manager",
    "scheduler.conf": "kube-scheduler",
}
# certificates that a component makes for itself at its start: loopback port
SELF_MADE = {"kube-controller-manager": 10257, "kube-scheduler": 10259}
YEAR = 31536000
NONE = {"ends": None, "life": None, "digest": None, "issuer": None, "subject": None, "changed": 0}
times = {}
unreadable = set()


def described(der):
    """{"ends", "life", "digest", "issuer", "subject"}, seconds; the last two are digests of names.

    Remembered: a certificate does not change, and openssl is a process.
    """
    digest = hashlib.sha256(der).hexdigest()
    if digest not in times:
        if len(times) > 200:
            times.clear()
        argv = ["openssl", "x509", "-noout", "-startdate", "-enddate", "-issuer_hash", "-subject_hash"]
        said = subprocess.run(argv, input=ssl.DER_cert_to_PEM_cert(der), capture_output=True, text=True, timeout=10, check=True).stdout
        begins, ends, issuer, subject = said.strip().splitlines()
        begin, end = [ssl.cert_time_to_seconds(line.split("=", 1)[1]) for line in (begins, ends)]
        times[digest] = {"ends": end, "life": end - begin, "digest": digest, "issuer": issuer, "subject": subject}
    return times[digest]


def certificate_in(text):
    """The first certificate of a PEM file or of a kubeconfig, as DER; ValueError when there is none."""
    data = re.search(r"client-certificate-data: *(\S+)", text)
    if data:
        text = base64.b64decode(data.group(1)).decode()
    block = BLOCK.search(text)
    if block is None:
        raise ValueError("no certificate in it")
    return ssl.PEM_cert_to_DER_cert(block.group(0))


def all_in(path):
    """Every certificate of a PEM file, as DER."""
    with open(path, encoding="utf-8") as f:
        return [ssl.PEM_cert_to_DER_cert(block) for block in BLOCK.findall(f.read())]


def on_disk(path):
    """{"ends", "life", "digest", "issuer", "subject", "changed"}; all None but changed when the file is missing or is none."""
    try:
        changed = os.stat(path).st_mtime
        with open(path, encoding="utf-8") as f:
            found = dict(described(certificate_in(f.read())), changed=changed)
        unreadable.discard(path)
        return found
    except (OSError, ValueError, subprocess.CalledProcessError) as cause:
        # said once, not at every look
        if path not in unreadable:
            unreadable.add(path)
            print("no certificate in %s: %s" % (path, cause), flush=True)
        return dict(NONE)


def served(host, port, pair=None):
    """{"ends", "life", "digest"} of what a port serves, or None when it does not answer. Not verified: an expired one counts too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        if pair:
            context.load_cert_chain(pair + ".crt", pair + ".key")
        with socket.create_connection((host, port), timeout=3) as raw, context.wrap_socket(raw) as link:
            return described(link.getpeercert(True))
    except (OSError, subprocess.CalledProcessError):
        return None


def running(component):
    """(seconds since the epoch at which its youngest process began, its arguments), or None when it does not run."""
    with open(PROC + "/stat", encoding="utf-8") as f:
        boot = int(re.search(r"^btime (\d+)", f.read(), re.M).group(1))
    found = None
    for pid in filter(str.isdigit, os.listdir(PROC)):
        try:
            with open("%s/%s/cmdline" % (PROC, pid), encoding="utf-8", errors="replace") as f:
                argv = f.read().split("\0")
            if os.path.basename(argv[0]) != component:
                continue
            with open("%s/%s/stat" % (PROC, pid), encoding="utf-8", errors="replace") as f:
                ticks = int(f.read().rsplit(")", 1)[1].split()[19])
        except FileNotFoundError:
            # it ended while we looked
            continue
        began = boot + ticks / os.sysconf("SC_CLK_TCK")
        if found is None or began > found[0]:
            found = (began, argv)
    return found


def signing_seconds(argv):
    """What --cluster-signing-duration says; Kubernetes' own default is a year."""
    said = [re.fullmatch(r"--cluster-signing-duration=(\d+)s", word) for word in argv]
    found = [int(m.group(1)) for m in said if m]
    return found[0] if found else YEAR


def leaf(name, by, disk, **more):
    plain = {"name": name, "by": by, "port": False, "served": None, "component": None, "loaded": None, "ca_ends": None, "foreign": False}
    return dict(plain, **disk, **more)


def foreign(disk, authority):
    """Whether it is signed by another than the authority that signs now: the first of its file."""
    return None not in (disk["issuer"], authority["subject"]) and disk["issuer"] != authority["subject"]


def own_kubelet():
    client = on_disk(KUBELET + "/kubelet-client-current.pem")
    server = on_disk(KUBELET + "/kubelet-server-current.pem")
    return [
        leaf("kubelet-client", "kubelet", client),
        leaf("kubelet-server", "kubelet", server, port=True, served=served("127.0.0.1", 10250)),
    ]


def worker():
    return {"leaves": own_kubelet(), "authorities": {}, "signing": None, "stale": []}


def control_plane(address, port):
    """Everything on a control plane. address: its fixed one; port: its API server's."""
    signers = {name: on_disk("%s/%s.crt" % (PKI, path)) for name, path in AUTHORITIES.items()}
    authorities = {name: signer["ends"] for name, signer in signers.items()}
    etcd = PKI + "/etcd/peer"
    ports = {
        "apiserver": lambda: served(address, port),
        "etcd-server": lambda: served("127.0.0.1", 2379, etcd),
        "etcd-peer": lambda: served(address, 2380, etcd),
    }
    leaves = []
    for name, (path, authority) in FILES.items():
        more = {"ca_ends": authorities[authority], "port": name in ports}
        if name in ports:
            more["served"] = ports[name]()
        if name == "apiserver":
            more["component"] = "kube-apiserver"
        disk = on_disk("%s/%s.crt" % (PKI, path))
        leaves.append(leaf(name, "kit", disk, foreign=foreign(disk, signers[authority]), **more))
    processes = {component: running(component) for component in SELF_MADE}
    for name, component in CONFIGS.items():
        disk = on_disk("%s/%s" % (KUBERNETES, name))
        process = processes.get(component)
        # the start of a process is known to a second or so
        loaded = None if process is None else process[0] >= disk["changed"] - 2
        more = {"ca_ends": authorities["ca"], "component": component, "loaded": loaded, "foreign": foreign(disk, signers["ca"])}
        leaves.append(leaf(name, "kit", disk, **more))
    for component, at in SELF_MADE.items():
        leaves.append(leaf(component, "component", NONE, port=True, served=served("127.0.0.1", at), component=component))
    manager = processes["kube-controller-manager"]
    known = {name: end for name, end in authorities.items() if end is not None}
    signing = manager and signing_seconds(manager[1])
    return {"leaves": leaves + own_kubelet(), "authorities": known, "signing": signing, "stale": []}
