"""The agent's loader: a new version is tried, one that falls over gives way to the last good one, and what is broken is not run."""

import hashlib
import io
import ssl
import tarfile
from pathlib import Path

import documents
import pytest
from honest import host, loader
from support import trust


@pytest.mark.parametrize(
    "wanted, good, bad, run",
    [
        (None, None, set(), None),
        ("new", None, set(), "new"),
        ("new", "old", set(), "new"),
        ("new", "old", {"new"}, "old"),
        # a third one is tried, whatever the second was
        ("newer", "old", {"new"}, "newer"),
        # nothing better is known: it is tried again
        ("new", None, {"new"}, "new"),
        # the good one fell over too: the machine's fault, not the version's
        ("new", "old", {"new", "old"}, "old"),
        ("old", "old", {"old"}, "old"),
    ],
)
def test_choose(wanted, good, bad, run):
    assert loader.choose(wanted, good, bad) == run


@pytest.mark.parametrize(
    "ended, seconds, shown",
    [(False, 1, None), (True, 1, "bad"), (True, 60, "bad"), (False, 60, None), (False, 61, "good"), (True, 61, None)],
)
def test_judge(ended, seconds, shown):
    assert loader.judge(ended, seconds) == shown


def archive(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name + ".py")
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    data = out.getvalue()
    return data, hashlib.sha256(data).hexdigest()


@pytest.fixture
def agent(monkeypatch, tmp_path):
    folder = tmp_path / "agent"
    folder.mkdir()
    monkeypatch.setattr(loader, "AGENT", str(folder))
    return folder


def test_unpack_keeps_versions_beside_each_other(agent):
    for text in ("print(1)", "print(2)"):
        data, digest = archive(main=text)
        loader.unpack(digest, data)
        assert (agent / digest[:12] / "main.py").read_text() == text
        assert loader.recorded("current") == digest[:12]
    assert len([f for f in agent.iterdir() if f.is_dir()]) == 2


def test_unpack_refuses_what_is_not_what_the_cluster_says(agent):
    data, digest = archive(main="print(1)")
    loader.unpack(digest, data)
    with pytest.raises(host.StageError, match="sha256"):
        loader.unpack("0" * 64, data)
    assert loader.recorded("current") == digest[:12]


def test_unpack_goes_on_after_a_power_cut(agent):
    data, digest = archive(main="print(1)")
    (agent / (digest[:12] + ".part")).mkdir()
    (agent / (digest[:12] + ".part") / "main.py").write_text("pri")
    loader.unpack(digest, data)
    assert (agent / digest[:12] / "main.py").read_text() == "print(1)"


def test_unpack_writes_nothing_outside_its_folder(agent):
    data, digest = archive(**{"../../outside": "print(1)", "main": "print(2)"})
    loader.unpack(digest, data)
    assert sorted(f.name for f in (agent / digest[:12]).iterdir()) == ["main.py", "outside.py"]
    assert not (agent.parent.parent / "outside.py").exists()


@pytest.mark.world
def test_a_control_plane_makes_credentials_of_its_own_and_keeps_them(agent, monkeypatch, tmp_path):
    pki = tmp_path / "pki"
    pki.mkdir()
    cert, key = trust.authority(tmp_path, "client_ca")
    (pki / "client-ca.crt").write_text(cert)
    (pki / "client-ca.key").write_text(key)
    monkeypatch.setattr(loader, "PKI", str(pki))
    pem = loader.credentials(documents.control_plane(leaf_seconds=48 * 3600))
    ssl.create_default_context().load_cert_chain(pem)
    told = trust.openssl("x509", "-in", pem, "-noout", "-subject", "-nameopt", "RFC2253", "-checkend", str(47 * 3600))
    assert told.splitlines()[0] == "subject=CN=honest-paas:agent:demo-cp-a,O=honest-paas:agents"
    trust.openssl("verify", "-CAfile", str(pki / "client-ca.crt"), pem)
    assert {oct(f.stat().st_mode)[-2:] for f in tmp_path.glob("agent.*") if f.suffix in (".pem", ".key")} == {"00"}
    made = Path(pem).read_text()
    assert Path(loader.credentials(documents.control_plane())).read_text() == made


class Enough(Exception):
    """Ends the loader's loop."""


LIVES = "import time; time.sleep(60)"
FALLS = "import sys; sys.exit(3)"
LOG = "import os; open(os.environ['LOG'], 'a').write(os.environ['HONEST_AGENT'] + ' ')\n"


@pytest.fixture
def rounds(monkeypatch, agent, tmp_path):
    """Runs the loader's loop over real processes; each round the cluster hands out what the list says next. What was started."""
    doc = documents.control_plane()
    for name, value in (("load", lambda: doc), ("credentials", lambda _doc: "/nonexistent.pem")):
        monkeypatch.setattr(loader, name, value)
    for name, seconds in (("TRIAL_SECONDS", 0.8), ("ROUND_SECONDS", 0.4), ("PAUSE_SECONDS", 0.05)):
        monkeypatch.setattr(loader, name, seconds)
    children, real = [], loader.subprocess.Popen

    def popen(*args, **kwargs):
        children.append(real(*args, **kwargs))
        return children[-1]

    def run(versions, handed_out):
        log = tmp_path / "log"
        log.write_text("")
        monkeypatch.setenv("LOG", str(log))
        monkeypatch.setattr(loader.subprocess, "Popen", popen)
        for version, text in versions.items():
            (agent / version).mkdir(exist_ok=True)
            (agent / version / "main.py").write_text(LOG + text)
        turns = iter(handed_out)

        def refresh(_doc):
            version = next(turns, Enough)
            if version is Enough:
                raise Enough
            if version is None:
                raise OSError("the API does not answer")
            host.write(str(agent / "current"), version)

        monkeypatch.setattr(loader, "refresh", refresh)
        with pytest.raises(Enough):
            loader.main()
        for child in children:
            child.kill()
            child.wait()
        return log.read_text().split()

    return run


@pytest.mark.world
def test_a_version_that_lives_through_its_trial_is_the_good_one(rounds):
    assert rounds({"one": LIVES}, ["one"] * 5) == ["one"]
    assert loader.recorded("good") == "one"


@pytest.mark.world
def test_a_new_version_that_falls_over_gives_way_to_the_good_one(rounds, capfd):
    assert rounds({"one": LIVES, "two": FALLS}, ["one"] * 5 + ["two"] * 6) == ["one", "two", "one"]
    assert loader.recorded("good") == "one"
    assert "agent two ended with 3" in capfd.readouterr().out


@pytest.mark.world
def test_the_fix_of_a_bad_version_is_tried_at_once(rounds):
    started = rounds({"one": LIVES, "two": FALLS, "three": LIVES}, ["one"] * 5 + ["two"] * 3 + ["three"] * 5)
    assert started == ["one", "two", "one", "three"]
    assert loader.recorded("good") == "three"


@pytest.mark.world
def test_a_first_version_that_falls_over_is_tried_again_and_never_good(rounds):
    started = rounds({"one": FALLS}, ["one"] * 5)
    assert len(started) >= 3
    assert set(started) == {"one"}
    assert loader.recorded("good") is None


@pytest.mark.world
def test_without_the_cluster_the_last_one_goes_on(rounds, capfd):
    host.write(loader.AGENT + "/current", "one")
    assert rounds({"one": LIVES}, [None] * 4) == ["one"]
    assert "the agent is not fetched: the API does not answer" in capfd.readouterr().out
