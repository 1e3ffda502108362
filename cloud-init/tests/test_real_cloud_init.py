"""The module and the boot stage on real cloud-init: Debian 12 has 22.4, Debian 13 has 25.1. Kubernetes' programs are stand-ins."""

import json

import documents
import pytest
from support import compose, stand_ins, trust
from support.machine import Disk, Machine, base_image

pytestmark = pytest.mark.engine
BY_ID = "honest-disk-1"
STAND_IN = "/var/lib/stand-in"


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def image(request):
    return base_image(request.param)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return trust.bundle(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def machines(image):
    """Makes machines and disks, and takes them away."""
    made = []

    def make(doc, files=None, **how):
        machine = Machine(image, compose.user_data(doc), {**stand_ins.files(), **(files or {})}, **how)
        made.append(machine)
        return machine

    yield make
    for machine in reversed(made):
        machine.close()


@pytest.fixture
def disks(tmp_path):
    made = []

    def make(name="one"):
        disk = Disk(tmp_path, "%s-%s" % (tmp_path.name[-12:].strip("_"), name))
        made.append(disk)
        return disk

    yield make
    for disk in made:
        disk.close()


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


def test_a_worker_boots_reboots_and_keeps_no_copy_of_its_user_data(machines, keys):
    machine = machines(worker(keys))
    machine.start()
    code, result = machine.cloud_init()
    assert (code, result["errors"]) == (0, [])
    # cloud-init is through while the machine still waits for its grant
    waiting = machine.wait_for("join", "waits for its grant")
    assert waiting["machine_id"] == machine.instance_id
    grant(machine)
    machine.wait_for("ready", ok=True)

    assert "honest: ready: ok" in machine.console()
    assert "honest: join: error: demo-w-a-0-" in machine.console()
    assert "--hostname-override=demo-w-a-0-" in machine.read(STAND_IN + "/kubelet")
    assert "api.demo.honest.internal" in machine.read("/etc/hosts")
    rules = machine.run("ip", "rule", "show")
    assert rules.count("169.254.169.254") == 2
    assert "uidrange 0-0" in rules
    modes = machine.run("stat", "-c", "%a", "/var/lib/honest-paas", "/var/lib/honest-paas/boot.json", "/etc/kubernetes/bootstrap-kubelet.conf")
    assert modes.split() == ["700", "600", "600"]

    # the token stands in the document and in the kubelet's file, nowhere else
    token = worker(keys)["join"]["token"]
    folders = ["/etc", "/var", "/run", "/root", "/usr/lib/honest-paas"]
    holders = machine.run("grep", "-rlsF", "--devices=skip", token, *folders).split()
    assert sorted(holders) == ["/etc/kubernetes/bootstrap-kubelet.conf", "/var/lib/honest-paas/boot.json"]

    before = machine.marker()
    machine.restart()
    machine.wait("the stage of the second boot", lambda: machine.marker().get("at") != before["at"] and machine.marker()["stage"] == "ready")
    code, result = machine.cloud_init()
    assert (code, result["errors"]) == (0, [])
    assert machine.marker()["machine_id"] == machine.instance_id
    assert machine.run("ip", "rule", "show").count("169.254.169.254") == 2
    assert machine.run("systemctl", "is-active", "kubelet").strip() == "active"


def test_a_fault_is_reported_and_tried_again_without_a_reboot(machines, keys):
    """The program that fails is mended while the machine runs; nobody touches the machine otherwise."""
    machine = machines(control_plane(keys), {STAND_IN + "/kubeadm-fails": ""})
    machine.start()
    fault = machine.wait_for("certificates", "told to fail", ok=False)
    assert "kubeadm" in fault["reason"]
    code, result = machine.cloud_init()
    assert (code, result["errors"]) == (0, [])
    machine.run("rm", STAND_IN + "/kubeadm-fails")
    machine.wait_for("etcd disk", "is not there yet")
    assert machine.console().count("certificates: error") == 1


def test_user_data_without_a_document_is_an_error_of_cloud_init(machines, keys, image):
    text = compose.mime(worker(keys))
    start, end = text.index("--" + compose.BOUNDARY + "\nContent-Type: text/x-honest-boot"), text.rindex("--" + compose.BOUNDARY + "\n")
    machine = Machine(image, text[:start] + text[end:])
    try:
        machine.start()
        code, result = machine.cloud_init()
        assert code == 1
        assert "no boot document" in str(result["errors"])
        # and still at the next boot: a module that is marked as run before it ran would be silent by then
        machine.restart()
        code, result = machine.cloud_init()
        assert "no boot document" in str(result["errors"])
    finally:
        machine.close()


def test_a_late_disk_is_waited_for_and_formatted_once(machines, disks, keys):
    machine = machines(control_plane(keys))
    machine.start()
    machine.wait_for("etcd disk", "is not there yet", ok=False)
    assert "honest: etcd disk: error: the etcd disk /dev/disk/by-id/honest-disk-1 is not there yet" in machine.console()
    disk = disks()
    machine.attach(disk, BY_ID)
    machine.wait_for("api server", seconds=240)
    mount = "/var/lib/honest-paas/etcd-disk"
    identity = json.loads(machine.read(mount + "/identity.json"))
    assert (identity["uid"], identity["node"]) == ("u-1", "demo-cp-a")
    started = dict(line.split("=", 1) for line in machine.read(STAND_IN + "/etcd").splitlines())
    assert started["ETCD_INITIAL_CLUSTER_STATE"] == "new"
    assert started["ETCD_INITIAL_CLUSTER_TOKEN"] == "u-1-0"
    assert started["ETCD_DATA_DIR"] == mount + "/etcd"

    # the disk goes to a successor of the same name: same disk, nothing formatted, same data
    machine.run("touch", mount + "/etcd/member/kept")
    machine.close()
    heir = machines(control_plane(keys, ticket=None))
    heir.start()
    heir.wait_for("etcd disk", "is not there yet")
    heir.attach(disk, BY_ID)
    heir.wait_for("api server", seconds=240)
    assert json.loads(heir.read(mount + "/identity.json")) == identity
    assert heir.read(mount + "/etcd/member/kept") == ""


@pytest.mark.parametrize(
    "make, words",
    [
        (["mkfs.ext4", "-q", "-L", "precious"], "carries a foreign ext4 (label 'precious')"),
        (["mkswap", "-q"], "carries a foreign swap"),
        (["mkfs.ext4", "-q", "-L", "honest-etcd"], None),
    ],
)
def test_a_foreign_disk_is_refused_and_not_touched(machines, disks, keys, make, words):
    machine, disk = machines(control_plane(keys)), disks()
    machine.start()
    machine.wait_for("etcd disk", "is not there yet")
    link = "other-" + BY_ID
    machine.attach(disk, link)
    machine.run(*make, "/dev/disk/by-id/" + link)
    if words is None:
        # ours by its label, another cluster's by its identity
        machine.run("sh", "-c", "mount /dev/disk/by-id/%s /mnt; echo '%s' > /mnt/identity.json; umount /mnt" % (link, json.dumps({"uid": "u-2", "node": "demo-cp-a", "nonce": "n"})))
        words = "it belongs to cluster u-2"
    before = machine.run("sha256sum", "/dev/disk/by-id/" + link) if make[0] == "mkswap" else None
    machine.attach(disk, BY_ID)
    refused = machine.wait_for("etcd disk", words, ok=False)
    assert refused["ok"] is False
    assert "honest: etcd disk: error" in machine.console()
    assert machine.run("sh", "-c", "grep -c etcd-disk /proc/mounts || true").strip() == "0"
    if before:
        assert machine.run("sha256sum", "/dev/disk/by-id/" + link) == before


def test_a_disk_that_lost_its_data_does_not_found_another_cluster(machines, disks, keys):
    machine, disk = machines(control_plane(keys)), disks()
    machine.start()
    machine.wait_for("etcd disk", "is not there yet")
    machine.attach(disk, BY_ID)
    machine.wait_for("api server", seconds=240)
    machine.run("systemctl", "stop", "honest-boot", "honest-etcd")
    machine.run("rm", "-rf", "/var/lib/honest-paas/etcd-disk/etcd/member")
    machine.run("systemctl", "start", "--no-block", "honest-boot")
    refused = machine.wait_for("etcd birth", "data is gone", ok=False)
    assert "restore a snapshot" in refused["reason"]
    assert machine.run("systemctl", "start", "honest-etcd", check=False).returncode != 0


def test_an_empty_disk_without_a_ticket_waits(machines, disks, keys):
    machine, disk = machines(control_plane(keys, ticket=None)), disks()
    machine.start()
    machine.wait_for("etcd disk", "is not there yet")
    machine.attach(disk, BY_ID)
    machine.wait_for("etcd birth", "may not found a cluster", ok=False)
