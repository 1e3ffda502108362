"""How the agent puts a file in the place of another: whole, with its mode, and with nothing left beside it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import trust


def test_what_a_crash_left_beside_a_file_is_nobodys_and_goes_with_the_next(tmp_path, monkeypatch):
    path = tmp_path / "ca.key"
    beside = tmp_path / "ca.key.part"
    beside.write_text("half a key")
    beside.chmod(0o644)
    trust.place(str(path), "a key", 0o600)
    assert [p.name for p in tmp_path.iterdir()] == ["ca.key"] and path.read_text() == "a key"
    assert path.stat().st_mode & 0o777 == 0o600

    def full(_handle):
        raise OSError(28, "no space left")

    monkeypatch.setattr(trust.os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        trust.place(str(path), "another", 0o600)
    assert [p.name for p in tmp_path.iterdir()] == ["ca.key"] and path.read_text() == "a key"
