"""How the etcd disk is found: the document has the id that the vendor's API gives, the machine has links that udev made of it."""

import pytest
from honest import disk
from honest.host import Waiting

UUID = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"


@pytest.fixture
def links(tmp_path):
    """Makes links to devices, as udev does."""
    by_id = tmp_path / "by-id"
    by_id.mkdir()

    def make(**named):
        for device in set(named.values()):
            (tmp_path / device).touch()
        for link, device in named.items():
            (by_id / link.replace("__", "-")).symlink_to(tmp_path / device)
        return lambda wanted: disk.device({"etcd": {"disk": wanted}}, "%s/" % by_id).rsplit("/", 1)[-1]

    return make


@pytest.mark.parametrize(
    "link, wanted",
    [
        ("honest-disk-1", "honest-disk-1"),
        ("nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0", "vol-0123456789abcdef0"),
        ("virtio-vol-12345678", "vol-12345678"),
        ("virtio-" + UUID[:20], UUID),
        ("scsi-0QEMU_QEMU_HARDDISK_" + UUID, UUID),
        ("scsi-0HC_Volume_4711", "4711"),
    ],
    ids=["local", "EBS", "virtio with a short id", "virtio with a long id", "scsi", "Hetzner"],
)
def test_a_disk_is_found_by_what_udev_makes_of_its_id(links, link, wanted):
    find = links(**{link.replace("-", "__"): "sdb", link.replace("-", "__") + "__part1": "sdb1", "ata__other": "sda"})
    assert find(wanted) == "sdb"


def test_an_id_that_only_ends_alike_is_another_disk(links):
    find = links(scsi__0HC_Volume_14711="sdb", nvme__Amazon_Elastic_Block_Store_vol10="sdc")
    for wanted in ("4711", "vol-0"):
        with pytest.raises(Waiting, match=wanted):
            find(wanted)


def test_a_disk_may_come_later(links):
    with pytest.raises(Waiting, match="is not there yet"):
        links()("vol-1")
