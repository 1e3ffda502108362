"""User-data of every role fits into what the smallest cloud takes, with room for lists of the spec. Figures are printed."""

import gzip

import documents
import pytest
from support import compose, trust

EC2_LIMIT = 16384
# taints, labels, flags, names and a mirror's CA that people add
ROOM_BYTES = 448


# a presigned URL of S3 as long as they get, and a passphrase
RESTORE = {
    "url": "https://s3.eu-central-1.amazonaws.com/company-backups/prod/production/0f9c1a52-77a8-4f0e-9d35-0c6f5f6a9c11/"
    "20261130T120000Z-production-cp-a/etcd.sealed?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20261130"
    "%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20261130T121500Z&X-Amz-Expires=10800&X-Amz-SignedHeaders=host"
    "&X-Amz-Signature=9a0364b9e99bb480dd25e1f0284c8555f0a3b2c17e0c6a4d1f1be66dfbf1c8a4",
    "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "passphrase": "correct horse battery staple",
    "not_after": "2026-12-01T00:00:00Z",
}


@pytest.mark.world
@pytest.mark.parametrize(
    "more, room", [({"restore": RESTORE, "ticket": None}, 200), ({"ticket": None}, ROOM_BYTES)], ids=["restore", "restored"]
)
def test_user_data_of_five_that_go_back_to_a_snapshot_fits(tmp_path, capsys, more, room):
    members = {"production-cp-%s" % letter: "10.200.100.1%d" % n for n, letter in enumerate("abcde")}
    doc = documents.control_plane(pki=trust.bundle(tmp_path), members=members, etcd={"disk": "honest-disk-1", "number": 1}, **more)
    size = len(compose.user_data(doc))
    with capsys.disabled():
        print("\nuser-data of a control-plane of 5, %s: %d bytes packed" % ("restored" if room == ROOM_BYTES else "restore", size))
    assert size + room <= EC2_LIMIT


@pytest.mark.world
@pytest.mark.parametrize("role, replicas", [("control-plane", 1), ("control-plane", 3), ("control-plane", 5), ("worker", 0)])
def test_user_data_fits(tmp_path, capsys, role, replicas):
    keys = trust.bundle(tmp_path)
    if role == "worker":
        doc = documents.worker(pki={k: keys[k] for k in ("ca_cert", "client_ca_cert")})
    else:
        members = {"production-cp-%s" % letter: "10.200.100.1%d" % n for n, letter in enumerate("abcde"[:replicas])}
        doc = documents.control_plane(pki=keys, members=members)
    size = len(compose.user_data(doc))
    code = len(gzip.compress("".join(compose.sources(doc["node"]["role"]).values()).encode(), 9))
    with capsys.disabled():
        of = " of %d" % replicas if replicas else ""
        print("\nuser-data of a %s%s: %d bytes packed, of which code %d; limit %d" % (role, of, size, code, EC2_LIMIT))
    assert size + ROOM_BYTES <= EC2_LIMIT


def test_the_same_input_makes_the_same_bytes():
    doc = documents.control_plane()
    shuffled = dict(reversed(list(doc.items())))
    assert compose.user_data(doc) == compose.user_data(shuffled)
