"""Renewal with the real openssl and the real kubeadm on folders of the test's own, and what is read of it."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from honest import control_plane
from support import trust

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import observe
import renew

pytestmark = [pytest.mark.world, pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")]


def every_leaf():
    paths = {name: "%s/%s.crt" % (observe.PKI, path) for name, (path, _) in observe.FILES.items()}
    return dict(paths, **{name: "%s/%s" % (observe.KUBERNETES, name) for name in observe.CONFIGS})


def names(path):
    text = trust.openssl("x509", "-noout", "-subject", "-issuer", "-ext", "subjectAltName,extendedKeyUsage", "-in", path)
    return sorted(text.split("\n"))


def left(seen):
    return seen["ends"] - time.time()


def test_every_certificate_is_made_anew_for_the_wanted_time_and_is_the_same_but_for_it(machine):
    for name, path in every_leaf().items():
        before = observe.on_disk(path)
        assert 3500 < left(before) <= 3600, name
        said = names(path) if path.endswith(".crt") else None
        mode = os.stat(path).st_mode
        renew.renew(name, 7200, None)
        after = observe.on_disk(path)
        assert 7100 < left(after) <= 7200, name
        assert after["digest"] != before["digest"], name
        assert os.stat(path).st_mode == mode
        if said:
            assert names(path) == said
            public = trust.openssl("x509", "-noout", "-pubkey", "-in", path)
            assert trust.openssl("pkey", "-pubout", "-in", path[:-3] + "key") == public
            assert os.stat(path[:-3] + "key").st_mode & 0o777 == 0o600
    assert not os.path.exists(observe.KUBERNETES + "/.renew")


def test_nothing_outlives_its_authority(machine):
    renew.renew("apiserver", 7200, time.time() + 600)
    assert 500 < left(observe.on_disk(observe.PKI + "/apiserver.crt")) <= 600


def everything_below(folder):
    return {str(p): p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}


@pytest.mark.parametrize("fault", ["no kubeadm", "it fails", "it makes another life", "an authority's key is another's"])
def test_a_renewal_that_fails_changes_nothing(machine, monkeypatch, tmp_path, fault):
    if fault == "no kubeadm":
        monkeypatch.setattr(renew, "KUBEADM", str(tmp_path / "none"))
    elif fault == "it fails":
        monkeypatch.setattr(renew, "KUBEADM", "false")
    elif fault == "it makes another life":
        # as a kubeadm would that does not know certificateValidityPeriod
        made = renew.configuration

        def year(kind, change):
            return made(kind, change).replace('"7200s"', '"8760h"')

        monkeypatch.setattr(renew, "configuration", year)
    else:
        Path(observe.PKI + "/ca.key").write_text(trust.new_key())
    before = everything_below(observe.KUBERNETES)
    with pytest.raises(renew.RenewError):
        renew.renew("apiserver", 7200, None)
    assert everything_below(observe.KUBERNETES) == before


def test_a_stage_that_an_ended_agent_left_goes(machine):
    os.makedirs(observe.KUBERNETES + "/.renew/etcd")
    Path(observe.KUBERNETES + "/.renew/apiserver.crt").write_text("half")
    renew.renew("apiserver", 7200, None)
    assert not os.path.exists(observe.KUBERNETES + "/.renew")


def test_a_static_pod_starts_anew_by_a_mark_in_its_manifest(machine, monkeypatch, tmp_path):
    """The same reason is the same manifest: a second try does not end the pod again."""
    dry, kubeadm, manifests = tmp_path / "dry", renew.run, []
    dry.mkdir()
    monkeypatch.setenv("KUBEADM_INIT_DRYRUN_DIR", str(dry))
    monkeypatch.setattr(renew, "run", lambda argv: kubeadm(argv + ["--dry-run"]))
    for why in ("a", "a", "b"):
        renew.restart("kube-controller-manager", 7200, why)
        manifests.append((dry / "kube-controller-manager.yaml").read_text())
    assert manifests[0] == manifests[1] != manifests[2]
    assert "--cluster-signing-duration=7200s" in manifests[0] and "honest-paas.dev/started-for" in manifests[0]
    assert manifests[0].count("cluster-signing-duration") == 1


def test_what_ended_while_the_machine_was_off_is_made_anew_at_boot(machine):
    """kubeadm keeps what is there: without the boot stage's own look nothing would come up again."""
    pki = Path(observe.PKI)
    renew.renew("etcd-server", 400, None)
    authorities = {name: (pki / (path + ".crt")).read_text() for name, path in observe.AUTHORITIES.items()}
    control_plane.certificates(machine)
    for path, _ in observe.FILES.values():
        assert 3500 < left(observe.on_disk("%s/%s.crt" % (pki, path))) <= 3600
    assert {name: (pki / (path + ".crt")).read_text() for name, path in observe.AUTHORITIES.items()} == authorities


def serve(folder, cert, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    (folder / "s.crt").write_text(cert)
    (folder / "s.key").write_text(key)
    context.load_cert_chain(str(folder / "s.crt"), str(folder / "s.key"))
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        link, _ = listener.accept()
        with link, context.wrap_socket(link, server_side=True) as tls:
            tls.recv(1)

    threading.Thread(target=answer, daemon=True).start()
    return listener


def test_what_a_port_serves_is_read_also_when_nobody_would_trust_it(tmp_path):
    cert, key = trust.leaf(tmp_path, *trust.authority(tmp_path, "x"), "somebody", ["10.0.0.1"])
    listener = serve(tmp_path, cert, key)
    seen = observe.served("127.0.0.1", listener.getsockname()[1])
    assert seen == {k: observe.on_disk(str(tmp_path / "s.crt"))[k] for k in ("ends", "life", "digest", "issuer", "subject")}
    listener.close()
    assert observe.served("127.0.0.1", listener.getsockname()[1] if listener.fileno() >= 0 else 1) is None


@pytest.mark.parametrize("text", [None, "", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_what_is_no_certificate_is_said_once_and_is_due(tmp_path, capsys, text):
    path = tmp_path / "x.crt"
    if text is not None:
        path.write_text(text)
    for _ in range(3):
        assert observe.on_disk(str(path))["ends"] is None
    assert capsys.readouterr().out.count("no certificate in /") == 1


def test_a_process_is_known_by_its_name_and_its_start(tmp_path):
    sleeper = tmp_path / "kube-scheduler-stand-in"
    shutil.copy(shutil.which("sleep"), sleeper)
    before = time.time()
    child = subprocess.Popen([str(sleeper), "60"])
    try:
        time.sleep(0.2)
        began, argv = observe.running("kube-scheduler-stand-in")
        assert before - 2 <= began <= time.time() + 2
        assert argv[1] == "60"
    finally:
        child.kill()
        child.wait()
    assert observe.running("kube-scheduler-stand-in") is None


@pytest.mark.parametrize(
    "argv, seconds",
    [
        (["kube-controller-manager", "--cluster-signing-duration=180s"], 180),
        (["kube-controller-manager"], 31536000),
        (["kube-controller-manager", "--cluster-signing-duration=1h0m0s"], 31536000),
    ],
)
def test_what_the_controller_manager_signs_for(argv, seconds):
    assert observe.signing_seconds(argv) == seconds
