"""The programs of a machine: what the image has in the right version stays, the rest comes from the mirror."""

import hashlib
import http.client
import io
import os
import platform
import tarfile
import urllib.request

from honest.host import StageError, read_json, run

BIN = "/usr/local/bin"


def fetch(doc, path):
    """A file of the mirror, checked against the sha256 beside it."""
    import ssl

    base = doc["mirror"].get("binaries")
    if not base:
        raise StageError("%s is not in the machine image, and the spec names no mirror.binaries to fetch it from" % path)
    context = ssl.create_default_context(cadata=doc["mirror"].get("ca")) if doc["mirror"].get("ca") else None
    url = "%s/%s" % (base.rstrip("/"), path)
    try:
        with urllib.request.urlopen(url + ".sha256", timeout=30, context=context) as answer:
            wanted = (answer.read(4096).decode(errors="replace").split() or ["nothing"])[0]
        with urllib.request.urlopen(url, timeout=300, context=context) as answer:
            data = answer.read()
    except (OSError, http.client.HTTPException) as cause:
        raise StageError("%s: %s" % (url, cause)) from cause
    got = hashlib.sha256(data).hexdigest()
    if got != wanted:
        raise StageError("%s: sha256 is %s, published is %s; not installed" % (url, got, wanted))
    return data


def install(name, data, folder=BIN):
    os.makedirs(folder, exist_ok=True)
    part = "%s/%s.part" % (folder, name)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o755), "wb") as f:
        f.write(data)
    os.rename(part, "%s/%s" % (folder, name))


def unpack(data, last, names=None, folder=BIN):
    """Programs of an archive. Where `last` is found at the next boot, the others are taken to be there too."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        files = {os.path.basename(m.name): m for m in tar if m.isfile()}
        for name in sorted(files, key=lambda name: name == last):
            if names is None or name in names:
                install(name, tar.extractfile(files[name]).read(), folder)


def ensure(doc):
    image = read_json("/etc/honest-paas/image.json") or {}
    if image.get("kubernetes") == doc["version"]:
        return
    arch = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    version = doc["version"]
    if run(["kubelet", "--version"], check=False).stdout.strip() != "Kubernetes v" + version if _has("kubelet") else True:
        # kubelet last: it is what tells, at the next boot, that all three are there
        for name in ("kubeadm", "kubectl", "kubelet"):
            install(name, fetch(doc, "dl.k8s.io/v%s/bin/linux/%s/%s" % (version, arch, name)))
    want = doc["runtime"]
    hub = "github.com/%s/releases/download/v%s/%s"
    if not _has("containerd"):
        v = want["containerd"]
        unpack(fetch(doc, hub % ("containerd/containerd", v, "containerd-%s-linux-%s.tar.gz" % (v, arch))), "containerd")
    if not _has("runc"):
        install("runc", fetch(doc, hub % ("opencontainers/runc", want["runc"], "runc." + arch)))
    if not os.path.exists("/opt/cni/bin/bridge"):
        v = want["cni"]
        unpack(
            fetch(doc, hub % ("containernetworking/plugins", v, "cni-plugins-linux-%s-v%s.tgz" % (arch, v))), "bridge", None, "/opt/cni/bin"
        )
    if doc["node"]["role"] == "control-plane" and not _has("etcd"):
        v = want["etcd"]
        unpack(fetch(doc, hub % ("etcd-io/etcd", v, "etcd-v%s-linux-%s.tar.gz" % (v, arch))), "etcd", ("etcd", "etcdctl", "etcdutl"))


def _has(name):
    return os.path.exists("%s/%s" % (BIN, name))
