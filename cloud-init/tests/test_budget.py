"""User-data of every role fits into what the smallest cloud takes, with room for lists of the spec. Figures are printed."""

import gzip

import documents
import pytest
from support import compose, trust

EC2_LIMIT = 16384
# taints, labels, flags, names and a mirror's CA that people add
ROOM_BYTES = 448


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
