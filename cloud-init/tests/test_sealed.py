import os

import pytest
from honest_agent import sealed

pytestmark = pytest.mark.world


@pytest.fixture(scope="module")
def sealed_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sealed")
    plain = folder / "plain"
    plain.write_bytes(os.urandom(3_000_001))
    sealed.seal("a passphrase", str(plain), str(folder / "sealed"))
    return folder


def test_what_was_sealed_comes_back_byte_by_byte(sealed_file):
    sealed.unseal("a passphrase", str(sealed_file / "sealed"), str(sealed_file / "back"))
    assert (sealed_file / "back").read_bytes() == (sealed_file / "plain").read_bytes()
    assert not (sealed_file / "back.body").exists()


def test_nobody_else_reads_the_files(sealed_file):
    assert oct((sealed_file / "sealed").stat().st_mode & 0o777) == "0o600"


def test_the_same_file_is_never_sealed_to_the_same_bytes(sealed_file):
    sealed.seal("a passphrase", str(sealed_file / "plain"), str(sealed_file / "again"))
    assert (sealed_file / "again").read_bytes() != (sealed_file / "sealed").read_bytes()


@pytest.mark.parametrize(
    "change, passphrase",
    [
        (lambda b: b, "another passphrase"),
        (lambda b: b[:-1], "a passphrase"),
        (lambda b: b[: len(b) // 2], "a passphrase"),
        (lambda b: b[:20], "a passphrase"),
        (lambda b: b"", "a passphrase"),
        (lambda b: b[:100] + bytes([b[100] ^ 1]) + b[101:], "a passphrase"),
        (lambda b: b[:9] + bytes([b[9] ^ 1]) + b[10:], "a passphrase"),
        (lambda b: b"SQLite format 3\0" + b[16:], "a passphrase"),
        (lambda b: b + b"x", "a passphrase"),
    ],
)
def test_a_wrong_key_or_a_changed_file_opens_nothing(sealed_file, change, passphrase):
    bad = sealed_file / "bad"
    bad.write_bytes(change((sealed_file / "sealed").read_bytes()))
    out = sealed_file / "nothing"
    with pytest.raises(sealed.SealError):
        sealed.unseal(passphrase, str(bad), str(out))
    assert not out.exists()
