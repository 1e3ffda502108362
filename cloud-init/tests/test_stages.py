"""The boot stage's pieces as far as they are data: configuration, names, judgement of disks and tickets, order of stages."""

import json
import ssl
import subprocess
import urllib.error
import urllib.request

import documents
import pytest
from honest import artefacts, boot, control_plane, disk, document, etcd, host, kubelet, prepare
from honest import worker as worker_stages


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """A machine with an id and a state folder of its own, in no container."""
    monkeypatch.setattr(host, "STATE", str(tmp_path))
    monkeypatch.setattr(host, "SAID", str(tmp_path / "said.json"))
    for module in (document, kubelet, prepare, worker_stages):
        monkeypatch.setattr(module, "machine_id", lambda: "i-1", raising=False)
    monkeypatch.setattr(host, "machine_id", lambda: "i-1")
    monkeypatch.setattr(kubelet, "in_container", lambda: False)
    monkeypatch.setattr(kubelet.runtime, "systemd_cgroups", lambda: True)
    return tmp_path


def test_a_control_plane_keeps_its_name_and_a_worker_has_its_machines():
    assert document.node_name(documents.control_plane()) == "demo-cp-a"
    # sha256("i-1") begins with these digits; the provider computes the same name
    assert document.node_name(documents.worker()) == "demo-w-a-0-f105b"


def test_flags_of_one_component():
    assert document.flags(documents.control_plane(), "kubelet") == {"max-pods": "50"}
    assert document.flags(documents.control_plane(), "kube-scheduler") == {}


def test_kubeadm_configuration_is_local_first_then_external():
    doc = documents.control_plane()
    local = [json.loads(part) for part in control_plane.configuration(doc, False).split("\n---\n")]
    external = [json.loads(part) for part in control_plane.configuration(doc, True).split("\n---\n")]
    assert [part["kind"] for part in external] == ["ClusterConfiguration", "InitConfiguration", "KubeletConfiguration"]
    assert "local" in local[0]["etcd"]
    assert external[0]["etcd"]["external"]["endpoints"] == ["https://127.0.0.1:2379"]
    assert external[0]["controlPlaneEndpoint"] == "api.demo.honest.internal:6443"
    # what the machine issues, and what its kubelets are given
    assert external[0]["certificateValidityPeriod"] == "86400s"
    assert {"name": "cluster-signing-duration", "value": "86400s"} in external[0]["controllerManager"]["extraArgs"]
    names = external[0]["apiServer"]["certSANs"]
    assert {"127.0.0.1", "localhost", "api.demo.honest.internal", "10.0.0.10", "10.0.0.11"} <= set(names)
    assert {"name": "v", "value": "4"} in external[0]["apiServer"]["extraArgs"]
    assert {"name": "client-ca-file", "value": control_plane.BUNDLE} in external[0]["apiServer"]["extraArgs"]
    assert {"name": "shutdown-delay-duration", "value": "5s"} in external[0]["apiServer"]["extraArgs"]


def test_kubelet_configuration():
    config = kubelet.configuration(documents.worker())
    assert config["serverTLSBootstrap"] is True
    assert config["rotateCertificates"] is True
    assert config["providerID"] == "honest://i-1"
    assert config["authentication"]["anonymous"] == {"enabled": False}
    assert config["clusterDNS"] == ["10.96.0.10"]
    assert "featureGates" not in config


@pytest.mark.parametrize(
    "text, taint",
    [
        ("k=v:NoSchedule", {"key": "k", "value": "v", "effect": "NoSchedule"}),
        ("k:NoExecute", {"key": "k", "effect": "NoExecute"}),
        ("example.com/k=v:PreferNoSchedule", {"key": "example.com/k", "value": "v", "effect": "PreferNoSchedule"}),
    ],
)
def test_taints(text, taint):
    assert kubelet.taints(documents.worker(kubelet={"taints": [text], "labels": {}})) == [taint]


def test_etcd_environment_carries_number_members_and_flags():
    start = {"state": "new", "members": {"demo-cp-b": "10.0.0.12", "demo-cp-a": "10.0.0.11"}, "number": 2}
    doc = documents.control_plane(etcd={"disk": "d", "number": 2})
    env = dict(line.split("=", 1) for line in etcd.environment(doc, start, "10.0.0.11").splitlines())
    assert env["ETCD_INITIAL_CLUSTER"] == "demo-cp-a=https://10.0.0.11:2380,demo-cp-b=https://10.0.0.12:2380"
    assert env["ETCD_INITIAL_CLUSTER_TOKEN"] == "u-1-2"
    assert env["ETCD_INITIAL_CLUSTER_STATE"] == "new"
    assert env["ETCD_QUOTA_BACKEND_BYTES"] == "1000"
    assert env["ETCD_CLIENT_CERT_AUTH"] == "true"
    assert env["ETCD_PEER_CLIENT_CERT_AUTH"] == "true"


@pytest.mark.parametrize(
    "identity, ours",
    [
        ({"uid": "u-1", "node": "demo-cp-a", "nonce": "n"}, True),
        ({"uid": "u-2", "node": "demo-cp-a", "nonce": "n"}, False),
        ({"uid": "u-1", "node": "demo-cp-b", "nonce": "n"}, False),
        (None, False),
    ],
)
def test_whose_disk(identity, ours):
    assert (disk.judge(identity, "u-1", "demo-cp-a") is None) == ours


@pytest.mark.parametrize(
    "ticket, clock, valid",
    [
        ({"cluster_uid": "u-1", "not_after": "2026-12-01T00:00:00Z"}, "2026-11-30T23:59:59Z", True),
        ({"cluster_uid": "u-1", "not_after": "2026-12-01T00:00:00Z"}, "2026-12-01T00:00:01Z", False),
        ({"cluster_uid": "u-2", "not_after": "2026-12-01T00:00:00Z"}, "2026-11-30T00:00:00Z", False),
        (None, "2026-11-30T00:00:00Z", False),
    ],
)
def test_ticket(ticket, clock, valid):
    doc = documents.control_plane(ticket=ticket)
    assert (etcd.ticket_problem(doc, lambda: clock, lambda: True) is None) == valid


def test_no_ticket_is_believed_before_the_clock_is_synchronised():
    words = etcd.ticket_problem(documents.control_plane(), lambda: "2026-11-30T00:00:00Z", lambda: False)
    assert "not synchronised" in words


def test_stages_end_with_the_first_fault_and_wait_for_the_rest(monkeypatch):
    told = []
    monkeypatch.setattr(boot, "mark", lambda stage, ok, reason="": told.append((stage, ok, reason)))
    tries = iter([host.Waiting("disk is not there"), None])

    def late(_doc):
        outcome = next(tries)
        if outcome:
            raise outcome

    def broken(_doc):
        raise host.StageError("no such flag")

    monkeypatch.setattr(boot, "stages", lambda _doc: (("first", late), ("second", broken), ("third", late)))
    slept = []
    assert boot.go({}, sleep=slept.append) is False
    assert told == [("first", False, "disk is not there"), ("first", True, ""), ("second", False, "no such flag")]
    assert slept == [boot.RETRY_SECONDS]


@pytest.mark.parametrize(
    "fault, words",
    [
        (OSError(28, "No space left on device"), "OSError: [Errno 28] No space left on device"),
        (KeyError("disk"), "KeyError: 'disk'"),
        (ValueError("not JSON"), "ValueError: not JSON"),
    ],
)
def test_a_fault_that_nobody_thought_of_is_reported_like_any_other(monkeypatch, machine, fault, words):
    def broken(_doc):
        raise fault

    said = []
    monkeypatch.setattr(host, "console", said.append)
    monkeypatch.setattr(boot, "stages", lambda _doc: (("etcd disk", broken),))
    assert boot.go({}) is False
    assert said == ["etcd disk: error: " + words]
    assert json.loads((machine / "marker.json").read_text())["reason"] == words


def test_a_full_disk_does_not_silence_the_console(monkeypatch):
    def full(*_args):
        raise OSError(28, "No space left on device")

    said = []
    monkeypatch.setattr(host, "console", said.append)
    monkeypatch.setattr(host, "write_json", full)
    with pytest.raises(OSError):
        host.mark("containerd", False, "no space")
    assert said == ["containerd: error: no space"]


def test_the_console_gets_one_line_whatever_a_program_said(monkeypatch, capsys):
    def no_console(*_args, **_how):
        raise OSError("none here")

    monkeypatch.setattr(host, "open", no_console, raising=False)
    host.console("etcd: error: first\n  second\n")
    assert capsys.readouterr().out.splitlines()[0] == "honest: etcd: error: first second"


@pytest.mark.parametrize(
    "files, removed",
    [
        (["enabled"], False),
        (["enabled", "result.json"], True),
        # switched off after the first boot: nobody will ever say that it has ended
        (["disabled"], True),
        ([], True),
    ],
)
def test_copies_of_user_data_are_removed_when_cloud_init_has_ended(monkeypatch, tmp_path, files, removed):
    run, state, copy = tmp_path / "run", tmp_path / "state", tmp_path / "run/instance-data-sensitive.json"
    run.mkdir()
    state.mkdir()
    for name in files:
        (run / name).write_text("")
    copy.write_text("keys")
    monkeypatch.setattr(prepare, "CLOUD_INIT", str(run) + "/")
    monkeypatch.setattr(prepare, "STATE", str(state))
    if removed:
        prepare.scrub(documents.worker())
    else:
        with pytest.raises(host.Waiting, match="cloud-init still runs"):
            prepare.scrub(documents.worker())
    assert copy.exists() is not removed


def test_roles_have_their_own_stages():
    names = [name for name, _ in boot.stages(documents.control_plane())]
    assert names.index("etcd disk") < names.index("etcd birth") < names.index("etcd") < names.index("components")
    assert names.index("metadata guard") < names.index("components")
    worker = [name for name, _ in boot.stages(documents.worker())]
    assert "etcd" not in worker
    assert worker.index("metadata guard") < worker.index("join") < worker.index("kubelet") < worker.index("certificate")


@pytest.mark.parametrize(
    "answer, why",
    [
        (urllib.error.HTTPError("", 401, "", None, None), "its token is not known there"),
        (urllib.error.HTTPError("", 503, "", None, None), "HTTP 503"),
        (urllib.error.URLError(ConnectionRefusedError("refused")), "refused"),
    ],
)
def test_a_worker_starts_no_kubelet_before_its_token_is_known(monkeypatch, tmp_path, answer, why):
    asked = []

    def urlopen(request, **_how):
        asked.append((request.full_url, request.get_header("Authorization")))
        raise answer

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    monkeypatch.setattr(ssl, "create_default_context", lambda cafile: None)
    monkeypatch.setattr(kubelet, "CERTIFICATE", str(tmp_path / "certificate"))
    monkeypatch.setattr(host, "run", lambda *_, **__: subprocess.CompletedProcess([], 0))
    with pytest.raises(host.Waiting, match="demo-w-a-0-.* waits for its grant: " + why):
        worker_stages.granted(documents.worker())
    assert asked == [("https://api.demo.honest.internal:6443/api", "Bearer abcdef.0123456789abcdef")]
    # with its own certificate it needs no token any more
    (tmp_path / "certificate").touch()
    worker_stages.granted(documents.worker())
    assert len(asked) == 1


@pytest.mark.parametrize("present, ended, joins", [(False, False, False), (True, False, True), (True, True, False)])
def test_a_worker_has_joined_when_it_holds_a_certificate_that_counts(monkeypatch, tmp_path, present, ended, joins):
    path = tmp_path / "client.pem"
    if present:
        path.write_text("certificate")
    monkeypatch.setattr(kubelet, "CERTIFICATE", str(path))
    monkeypatch.setattr(host, "run", lambda *_, **__: subprocess.CompletedProcess([], 1 if ended else 0))
    if joins:
        worker_stages.joined(documents.worker())
    else:
        with pytest.raises(host.Waiting, match="waits for its certificate"):
            worker_stages.joined(documents.worker())


def test_a_machine_image_of_another_version_without_a_mirror_says_what_to_do(monkeypatch):
    monkeypatch.setattr(artefacts, "read_json", lambda _path: {"kubernetes": "1.35.4"})
    monkeypatch.setattr(artefacts, "_has", lambda _name: False)
    with pytest.raises(host.StageError, match="mirror.binaries"):
        artefacts.ensure(documents.worker())


def test_document_of_another_schema_is_refused(monkeypatch):
    monkeypatch.setattr(document, "read_json", lambda _path: {"schema": 2})
    with pytest.raises(host.StageError, match="schema"):
        document.load()


def test_marker_speaks_once_for_the_same_thing(monkeypatch, machine):
    said = []
    monkeypatch.setattr(host, "console", said.append)
    for _ in range(3):
        host.mark("etcd", False, "no quorum")
    host.mark("etcd", True)
    assert said == ["etcd: error: no quorum", "etcd: ok"]
    # a second try in the same boot goes through the same stages again
    host.mark("clock", True)
    for _ in range(3):
        host.mark("clock", True)
        host.mark("etcd", True)
    assert said[2:] == ["clock: ok"]
    assert json.loads((machine / "marker.json").read_text())["ok"] is True


@pytest.mark.parametrize("registered, certificate, done", [(False, True, False), (True, False, False), (True, True, True)])
def test_a_control_planes_kubelet_asks_with_what_it_renewed_last(monkeypatch, registered, certificate, done):
    """kubeadm's kubelet.conf holds a certificate; a kubelet that kept asking with it would be refused when that one ends."""
    said = []

    class Answer:
        returncode = 0 if registered else 1

    monkeypatch.setattr(control_plane, "run", lambda argv, check=True: Answer() if "get" in argv else said.append(argv[0]))
    monkeypatch.setattr(control_plane, "phase", lambda kind, *words: said.append(words))
    monkeypatch.setattr(control_plane, "lasts", lambda path, seconds: certificate and path == kubelet.CERTIFICATE)
    if done:
        control_plane.role(documents.control_plane())
        assert said == [("kubelet-finalize", "all"), "kubectl"]
    else:
        with pytest.raises(host.Waiting):
            control_plane.role(documents.control_plane())
        assert said == []
