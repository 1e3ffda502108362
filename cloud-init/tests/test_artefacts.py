"""What a machine fetches is believed only with its published sum; nothing else is installed, and the fault says what came from where."""

import hashlib
import io
import tarfile

import documents
import pytest
from honest import artefacts, host
from support import compose, stand_ins, trust
from support.machine import Machine, base_image

BASE = "https://mirror.example/m"
GOOD = b"a program"


def tgz(*names):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name in names:
            entry = tarfile.TarInfo("bin/" + name)
            entry.size = len(name)
            tar.addfile(entry, io.BytesIO(name.encode()))
    return out.getvalue()


ARCHIVES = {"gz": tgz("containerd", "ctr"), "tgz": tgz("bridge", "loopback")}


class Mirror:
    """Answers by the end of the path; what is asked for and not named is a program with a true sum."""

    def __init__(self):
        self.answers = {}

    def open(self, url, timeout, context):
        assert url.startswith(BASE)
        for end, answer in self.answers.items():
            if url.endswith(end):
                if isinstance(answer, Exception):
                    raise answer
                return io.BytesIO(answer)
        if not url.endswith(".sha256"):
            return io.BytesIO(ARCHIVES.get(url.rsplit(".", 1)[1], GOOD))
        return io.BytesIO((hashlib.sha256(self.open(url[: -len(".sha256")], timeout, context).read()).hexdigest() + "  name\n").encode())


@pytest.fixture
def mirror(monkeypatch):
    made = Mirror()
    monkeypatch.setattr(artefacts.urllib.request, "urlopen", made.open)
    return made


@pytest.fixture
def installed(monkeypatch):
    """Names in the order in which they are installed."""
    names = []
    monkeypatch.setattr(artefacts, "install", lambda name, data, folder=None: names.append(name))
    monkeypatch.setattr(artefacts, "read_json", lambda _path: None)
    monkeypatch.setattr(artefacts, "_has", lambda name: name in names)
    monkeypatch.setattr(artefacts.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(artefacts.os.path, "exists", lambda path: path.rsplit("/", 1)[1] in names)
    return names


def worker():
    return documents.worker(mirror={"binaries": BASE + "/", "images": None, "ca": None})


def test_what_tells_that_all_is_there_is_installed_last(mirror, installed):
    artefacts.ensure(worker())
    assert installed == ["kubeadm", "kubectl", "kubelet", "ctr", "containerd", "runc", "loopback", "bridge"]


OTHER = hashlib.sha256(b"spoilt").hexdigest()
TRUE = hashlib.sha256(GOOD).hexdigest()
KUBELET = BASE + "/dl.k8s.io/v1.36.3/bin/linux/amd64/kubelet"


@pytest.mark.parametrize(
    "answers, words",
    [
        (
            {"/kubelet": b"spoilt", "/kubelet.sha256": TRUE.encode()},
            "%s: sha256 is %s, published is %s; not installed" % (KUBELET, OTHER, TRUE),
        ),
        ({"/kubelet.sha256": b""}, "%s: sha256 is %s, published is nothing; not installed" % (KUBELET, TRUE)),
        ({"/kubelet.sha256": b"\xff\xfe"}, "%s: sha256 is %s, published is " % (KUBELET, TRUE)),
        ({"/kubelet": artefacts.http.client.IncompleteRead(b"12", 300)}, "%s: IncompleteRead(2 bytes read, 300 more expected)" % KUBELET),
        ({"/kubelet": ConnectionResetError(104, "reset")}, "%s: [Errno 104] reset" % KUBELET),
    ],
)
def test_what_is_not_as_published_is_said_and_not_installed(mirror, installed, answers, words):
    mirror.answers = answers
    with pytest.raises(host.StageError) as fault:
        artefacts.ensure(worker())
    assert str(fault.value).startswith(words)
    assert installed == ["kubeadm", "kubectl"]


@pytest.mark.engine
def test_a_machine_names_the_spoilt_file_and_boots_once_the_mirror_is_mended(tmp_path):
    """The mirror is on the machine itself, which has no network; fetching, judging and installing are real."""
    keys = trust.bundle(tmp_path)
    programs = "/usr/local/bin/"
    files = stand_ins.files()
    for name in ("kubeadm", "kubectl", "kubelet"):
        path = "/srv/mirror/dl.k8s.io/v1.36.3/bin/linux/%s/%s" % (machine_arch(), name)
        body = files.pop(programs + name, ("#!/bin/sh\n", 0))[0]
        files[path] = body + "# spoilt\n" if name == "kubelet" else body
        files[path + ".sha256"] = hashlib.sha256(body.encode()).hexdigest() + "\n"
        good = body
    del files["/etc/honest-paas/image.json"]
    files.update({programs + "runc": ("#!/bin/sh\n", 0o755), "/opt/cni/bin/bridge": ("#!/bin/sh\n", 0o755)})
    doc = documents.worker(
        pki={k: keys[k] for k in ("ca_cert", "client_ca_cert")},
        endpoint={"name": "api.demo.honest.internal", "port": 6443, "address": "127.0.0.1"},
        address="127.0.0.1",
        mirror={"binaries": "http://127.0.0.1:8099", "images": None, "ca": None},
    )
    machine = Machine(base_image("bookworm"), compose.user_data(doc), files)
    try:
        machine.start()
        machine.wait(
            "systemd",
            lambda: machine.run("systemctl", "is-system-running", check=False).stdout.strip() in (b"running", b"degraded", b"starting"),
        )
        machine.run("systemd-run", "--quiet", "python3", "-m", "http.server", "8099", "--bind", "127.0.0.1", "--directory", "/srv/mirror")
        got, published = (hashlib.sha256(text.encode()).hexdigest() for text in (good + "# spoilt\n", good))
        url = "http://127.0.0.1:8099" + path.replace("/srv/mirror", "")
        fault = machine.wait_for("artefacts", url + ": sha256 is", ok=False)
        assert fault["reason"] == "%s: sha256 is %s, published is %s; not installed" % (url, got, published)
        assert "honest: artefacts: error: %s" % url in machine.console()
        assert machine.run("ls", programs).split() == ["containerd", "etcd", "etcdctl", "etcdutl", "kubeadm", "kubectl", "runc"]
        machine.put({path: good})
        machine.wait_for("join", "waits for its grant")
        assert machine.read(programs + "kubelet") == good
    finally:
        machine.close()


def machine_arch():
    return {"x86_64": "amd64", "aarch64": "arm64"}[artefacts.platform.machine()]
