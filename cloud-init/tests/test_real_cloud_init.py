"""The module and the boot stage on real cloud-init: Debian 12 has 22.4, Debian 13 has 25.1. Kubernetes' programs are stand-ins."""

import json
import time

import documents
import pytest
from support import compose, stand_in_api, stand_ins, trust
from support.lab import Lab
from support.machine import base_image

pytestmark = pytest.mark.engine
BY_ID = "honest-disk-1"
MOUNT = "/var/lib/honest-paas/etcd-disk"
STAND_IN = stand_ins.FOLDER


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def image(request):
    return base_image(request.param)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return trust.bundle(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def lab():
    made = Lab()
    yield made
    made.close()


@pytest.fixture
def boot(lab, image):
    """Boots a machine with this document; `files` are on it before."""

    def booted(doc, files=None, user_data=None):
        machine = lab.machine(image, user_data or compose.user_data(doc), {**stand_ins.files(), **(files or {})})
        machine.start()
        return machine

    return booted


# no network in these machines: the address is one that every machine has
LOCAL = {"name": "api.demo.honest.internal", "port": 6443, "address": "127.0.0.1"}


def worker(keys, **changes):
    return documents.worker(pki={k: keys[k] for k in ("ca_cert", "client_ca_cert")}, endpoint=LOCAL, address="127.0.0.1", **changes)


def control_plane(keys, **changes):
    alone = {"members": {"demo-cp-a": "127.0.0.1"}, "address": "127.0.0.1", "endpoint": LOCAL}
    ticket = {"cluster_uid": "u-1", "not_after": "2099-01-01T00:00:00Z"}
    return documents.control_plane(**{"pki": keys, "ticket": ticket, **alone, **changes})


def grant(machine):
    machine.run("sh", "-c", "mkdir -p %s; touch %s/granted" % (STAND_IN, STAND_IN))


def without_a_disk(boot, doc):
    """A control plane that has come to the point where it waits for its disk."""
    machine = boot(doc)
    machine.wait_for("etcd disk", "is not there yet", ok=False)
    return machine


def test_a_worker_boots_reboots_and_keeps_no_copy_of_its_user_data(boot, keys, tmp_path):
    cert, key = trust.leaf(tmp_path, keys["ca_cert"], keys["ca_key"], "api", [LOCAL["name"]])
    machine = boot(worker(keys), stand_in_api.files(cert, key, worker(keys)["join"]["token"]))
    code, result = machine.cloud_init()
    assert (code, result["errors"]) == (0, [])
    # cloud-init is through while the machine still waits for its grant
    waiting = machine.wait_for("join", "waits for its grant")
    assert waiting["machine_id"] == machine.instance_id
    machine.run("systemctl", "start", "stand-in-api")
    machine.wait_for("join", "its token is not known there")
    # a kubelet that asks before its grant is there asks again after half a minute only
    assert machine.read(STAND_IN + "/kubelet") is None
    grant(machine)
    ready = machine.wait_for("ready", ok=True)

    assert "honest: ready: ok" in machine.console()
    assert "honest: join: error: demo-w-a-0-" in machine.console()
    assert "--hostname-override=demo-w-a-0-" in machine.read(STAND_IN + "/kubelet")
    assert "api.demo.honest.internal" in machine.read("/etc/hosts")
    rules = machine.run("ip", "rule", "show")
    assert rules.count("169.254.169.254") == 2
    assert "uidrange 0-0" in rules
    private = ["/var/lib/honest-paas", "/var/lib/honest-paas/boot.json", "/etc/kubernetes/bootstrap-kubelet.conf"]
    assert machine.run("stat", "-c", "%a", *private).split() == ["700", "600", "600"]

    # the token stands in the document and in the kubelet's file, nowhere else
    secret = worker(keys)["join"]["token"]
    assert holders(machine, secret) == ["/etc/kubernetes/bootstrap-kubelet.conf", "/var/lib/honest-paas/boot.json"]

    machine.restart()
    # the copies are not removed under cloud-init: it would take the machine for a new one, without a cloud
    code, result = machine.cloud_init()
    assert (code, result["errors"]) == (0, [])
    assert "NoCloud" in result["datasource"]
    assert machine.run("ls", "/var/lib/cloud/instances").split() == [machine.instance_id]
    assert machine.wait_for("ready", ok=True, after=ready)["machine_id"] == machine.instance_id
    assert machine.run("ip", "rule", "show").count("169.254.169.254") == 2
    assert machine.run("systemctl", "is-active", "kubelet").strip() == "active"
    assert holders(machine, secret) == ["/etc/kubernetes/bootstrap-kubelet.conf", "/var/lib/honest-paas/boot.json"]
    agent_restarts_a_kubelet_that_runs_and_none_that_was_stopped(machine)


def agent_restarts_a_kubelet_that_runs_and_none_that_was_stopped(machine):
    """The agent's own words to systemd. When it says them is told by tables, in test_agent.py."""
    machine.put({"/usr/lib/agent/kubelet.py": (compose.ROOT / "cloud-init/honest_agent/kubelet.py").read_text()})

    def tell(words):
        return machine.run("env", "PYTHONPATH=/usr/lib/agent", "python3", "-c", "import kubelet; " + words).strip()

    def starts():
        return machine.read(STAND_IN + "/kubelet").count("--config=")

    running, begun = "print(kubelet.running_seconds())", starts()
    time.sleep(1)
    before = float(tell(running))
    assert 1 < before < 120
    assert float(tell("kubelet.restart(); " + running)) < before
    machine.wait("a second start", lambda: starts() == begun + 1)
    machine.run("systemctl", "stop", "kubelet")
    assert tell("kubelet.restart(); " + running) == "None"
    assert starts() == begun + 1


def holders(machine, secret):
    """Files that hold these words."""
    folders = ["/etc", "/var", "/run", "/root", "/usr/lib/honest-paas"]
    return sorted(machine.run("grep", "-rlsF", "--devices=skip", secret, *folders).split())


def test_a_fault_is_reported_and_tried_again_without_a_reboot(boot, keys):
    """The program that fails is mended while the machine runs; nobody touches the machine otherwise."""
    machine = boot(control_plane(keys), {STAND_IN + "/kubeadm-fails": ""})
    fault = machine.wait_for("certificates", "told to fail", ok=False)
    assert "kubeadm" in fault["reason"]
    code, result = machine.cloud_init()
    assert (code, result["errors"]) == (0, [])
    again = machine.wait_for("certificates", "told to fail", ok=False, after=fault)
    assert again["at"] > fault["at"]
    machine.run("rm", STAND_IN + "/kubeadm-fails")
    machine.wait_for("etcd disk", "is not there yet")
    # said once, however often it was tried
    assert machine.console().count("certificates: error") == 1


def test_user_data_without_a_document_is_an_error_of_cloud_init(boot, keys):
    text = compose.mime(worker(keys))
    start, end = text.index("--" + compose.BOUNDARY + "\nContent-Type: text/x-honest-boot"), text.rindex("--" + compose.BOUNDARY + "\n")
    machine = boot(None, user_data=text[:start] + text[end:])
    code, result = machine.cloud_init()
    assert code == 1
    assert "no boot document" in str(result["errors"])
    # and still at the next boot: a module that is marked as run before it ran would be silent by then
    machine.restart()
    code, result = machine.cloud_init()
    assert code == 1
    assert "no boot document" in str(result["errors"])


def test_a_missing_disk_is_waited_for_formatted_once_and_goes_to_a_successor(boot, lab, keys):
    machine = without_a_disk(boot, control_plane(keys))
    assert "honest: etcd disk: error: the etcd disk /dev/disk/by-id/honest-disk-1 is not there yet" in machine.console()
    assert machine.run("systemctl", "is-active", "kubelet", check=False).stdout.strip() == b"inactive"
    disk = lab.disk()
    machine.attach(disk, BY_ID)
    ready = machine.wait_for("ready", ok=True)
    identity = json.loads(machine.read(MOUNT + "/identity.json"))
    assert (identity["uid"], identity["node"]) == ("u-1", "demo-cp-a")
    started = dict(line.split("=", 1) for line in machine.read(STAND_IN + "/etcd").splitlines())
    assert started["ETCD_INITIAL_CLUSTER_STATE"] == "new"
    assert started["ETCD_INITIAL_CLUSTER_TOKEN"] == "u-1-0"
    assert started["ETCD_DATA_DIR"] == MOUNT + "/etcd"
    # the cluster's keys stand in the document and in the files that are made of it, in no copy of user-data
    line = keys["ca_key"].splitlines()[1]
    assert holders(machine, line) == ["/etc/kubernetes/pki/ca.key", "/var/lib/honest-paas/boot.json"]

    # a reboot where the disk is late again: cloud-init ends, kubelet waits, and the disk is what it was
    machine.run("touch", MOUNT + "/etcd/member/kept")
    machine.restart()
    code, result = machine.cloud_init()
    assert (code, result["errors"]) == (0, [])
    machine.wait_for("etcd disk", "is not there yet", ok=False)
    assert machine.run("systemctl", "is-active", "kubelet", check=False).stdout.strip() == b"inactive"
    machine.attach(disk, BY_ID)
    machine.wait_for("ready", ok=True, after=ready)
    assert json.loads(machine.read(MOUNT + "/identity.json")) == identity
    assert machine.read(MOUNT + "/etcd/member/kept") == ""

    # a successor of the same name, made after the birth: same disk, nothing formatted, same data
    machine.close()
    heir = without_a_disk(boot, control_plane(keys, ticket=None))
    heir.attach(disk, BY_ID)
    heir.wait_for("ready", ok=True)
    assert json.loads(heir.read(MOUNT + "/identity.json")) == identity
    assert heir.read(MOUNT + "/etcd/member/kept") == ""


def foreign_file_system(machine, device):
    machine.run("mkfs.ext4", "-q", "-L", "precious", device)


def swap(machine, device):
    machine.run("mkswap", "-q", device)


def another_clusters(machine, device):
    """Ours by its label, another cluster's by its identity."""
    machine.run("mkfs.ext4", "-q", "-L", "honest-etcd", device)
    identity = json.dumps({"uid": "u-2", "node": "demo-cp-a", "nonce": "n"})
    machine.run("sh", "-c", "mount %s /mnt; echo '%s' > /mnt/identity.json; mkdir /mnt/etcd; umount /mnt" % (device, identity))


@pytest.mark.parametrize(
    "fill, words",
    [
        (foreign_file_system, "carries a foreign ext4 (label 'precious')"),
        (swap, "carries a foreign swap"),
        (another_clusters, "it belongs to cluster u-2"),
    ],
)
def test_a_foreign_disk_is_refused_and_not_touched(boot, lab, keys, fill, words):
    machine = without_a_disk(boot, control_plane(keys))
    device = "/dev/disk/by-id/other-" + BY_ID
    disk = lab.disk()
    machine.attach(disk, "other-" + BY_ID)
    fill(machine, device)
    before = content(machine, device, fill)
    machine.attach(disk, BY_ID)
    refused = machine.wait_for("etcd disk", words, ok=False)
    if fill is another_clusters:
        # it was mounted to be judged: the next try finds it as it was
        machine.wait_for("etcd disk", words, ok=False, after=refused)
    assert "honest: etcd disk: error" in machine.console()
    assert machine.run("sh", "-c", "grep -c etcd-disk /proc/mounts || true").strip() == "0"
    assert content(machine, device, fill) == before
    assert machine.read(STAND_IN + "/etcd") is None


def content(machine, device, fill):
    """Every byte; of a disk that has to be mounted to be judged, every file."""
    if fill is not another_clusters:
        return machine.run("sha256sum", device)
    script = "mount -o ro %s /mnt; cd /mnt; find . -type f -exec sha256sum {} +; find . -type d; cd /; umount /mnt" % device
    return machine.run("sh", "-c", script)


def test_a_disk_that_lost_its_data_does_not_found_another_cluster(boot, lab, keys):
    machine = without_a_disk(boot, control_plane(keys))
    machine.attach(lab.disk(), BY_ID)
    machine.wait_for("ready", ok=True)
    machine.run("systemctl", "stop", "honest-boot", "honest-etcd")
    machine.run("rm", "-rf", MOUNT + "/etcd/member")
    machine.run("systemctl", "start", "--no-block", "honest-boot")
    refused = machine.wait_for("etcd birth", "data is gone", ok=False)
    assert "restore a snapshot" in refused["reason"]
    # the unit refuses by itself, too
    assert machine.run("systemctl", "start", "honest-etcd", check=False).returncode != 0
    assert machine.run("ls", MOUNT + "/etcd") == ""


def test_an_empty_disk_without_a_ticket_waits(boot, lab, keys):
    machine = without_a_disk(boot, control_plane(keys, ticket=None))
    machine.attach(lab.disk(), BY_ID)
    waiting = machine.wait_for("etcd birth", "may not found a cluster", ok=False)
    machine.wait_for("etcd birth", "may not found a cluster", ok=False, after=waiting)
    assert machine.read(STAND_IN + "/etcd") is None
    assert machine.read(MOUNT + "/birth.json") is None
