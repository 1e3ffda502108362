"""Rotation of the authorities on one machine: files by the real openssl and kubeadm, processes and API as stand-ins."""

import base64
import json
import os
import shutil
import ssl
import sys
import time
from pathlib import Path

import pytest
from honest import control_plane
from support import trust as made_by_openssl
from support.etc_kubernetes import kubeadms

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import certificates
import observe
import reissue
import renew
import trust
from api import ApiError

pytestmark = [pytest.mark.world, pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")]
# what kubeadm makes of two authorities in a file; the renewal's tests run with every version
on_newest = pytest.mark.parametrize("machine", sorted(kubeadms().items())[-1:] or [None], ids=["newest"], indirect=True)
POLICY = {"lifetime": 3600, "renew_before": 600}


class Api:
    """Hands out the set as the provider writes it, and signs what kubelets ask for."""

    def __init__(self, control_plane=True):
        self.control_plane, self.set, self.asked, self.fault = control_plane, None, None, None
        self.signer = self.key = None

    def get(self, path):
        if self.fault:
            raise self.fault
        if "certificatesigningrequests" in path:
            return {"status": {"certificate": base64.b64encode(self.signed().encode()).decode()}} if self.signer else {"status": {}}
        if self.set is None:
            return None
        assert path == (trust.SECRET if self.control_plane else trust.CONFIG_MAP)
        text = json.dumps(self.set)
        return {"data": {"set": base64.b64encode(text.encode()).decode() if self.control_plane else text}}

    def call(self, method, path, body):
        assert method == "POST" and path == reissue.PATH
        self.asked = body["spec"]
        return {"metadata": {"name": "csr-1"}}

    def signed(self):
        folder = Path(observe.KUBELET)
        (folder / "s.crt").write_text(self.signer)
        (folder / "s.key").write_text(self.key)
        by = ["-CA", str(folder / "s.crt"), "-CAkey", str(folder / "s.key"), "-CAcreateserial", "-copy_extensions", "copyall"]
        return made_by_openssl.openssl("x509", "-req", *by, "-days", "1", data=base64.b64decode(self.asked["request"]).decode())


def kubelet_files(folder, cert, key):
    for kind in ("client", "server"):
        leaf, own = made_by_openssl.leaf(folder, cert, key, "system:node:cp-a", ["cp-a", "10.0.0.11"])
        (folder / ("kubelet-%s-current.pem" % kind)).write_text(leaf + own)


@pytest.fixture
def processes(monkeypatch):
    """When each component began."""
    began = {name: time.time() + 1 for name in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet")}

    def running(name):
        return (began[name], [name, "--cluster-signing-duration=3600s"]) if name in began else None

    monkeypatch.setattr(observe, "running", running)
    monkeypatch.setattr(observe, "served", lambda *_, **__: None)
    return began


@pytest.fixture
def rotation(machine, processes, monkeypatch, tmp_path):
    """A control plane with its duty, the three sets, and kubelets that are started anew by name."""

    class Rotation:
        create, promote, retire = made_by_openssl.successors(tmp_path, machine["pki"])
        api, doc, restarts, now = Api(), machine, [], time.time()

        def at(self, state):
            self.api.set = getattr(self, state)
            # everything has been so for a while
            for path in [p for folder in (observe.KUBERNETES, observe.KUBELET) for p in Path(folder).rglob("*") if p.is_file()]:
                os.utime(path, (path.stat().st_mtime - 10,) * 2)
            processes.update({name: began - 10 for name, began in processes.items()})
            self.round()
            self.round()

        def round(self, seconds=16):
            self.now += seconds
            self.duty.round(self.now)
            self.duty.observed(dict(observe.control_plane("10.0.0.11", 6443), stale=self.duty.stale()))

        def restart(self, component):
            processes[component] = time.time()
            if component != "kube-controller-manager":
                return
            # as renew.restart has kubeadm write it
            manifests = Path(observe.KUBERNETES, "manifests")
            manifests.mkdir(exist_ok=True)
            (manifests / "kube-controller-manager.yaml").write_text("--cluster-signing-cert-file=%s/signing.crt" % observe.PKI)

        def everything_new(self):
            """What keeper and kubelet do, one step after another, until there is nothing to do."""
            steps = []
            for _ in range(60):
                seen = dict(observe.control_plane("10.0.0.11", 6443), stale=self.duty.stale())
                step = certificates.plainly(seen, POLICY, time.time(), {})
                if step and step[0] == "renew":
                    renew.renew(step[1], 3600, None)
                elif step and step[0] == "restart":
                    self.restart(step[1])
                steps += [step[:2]] if step and step[:2] not in steps else []
                self.round()
                if step is None and self.duty.waits is None:
                    return steps
            raise AssertionError("no end: %s, %s" % (step, self.duty.waits))

    kubelet = tmp_path / "kubelet"
    kubelet.mkdir()
    monkeypatch.setattr(observe, "KUBELET", str(kubelet))
    monkeypatch.setattr(trust, "AGENT", str(tmp_path / "agent"))
    kubelet_files(kubelet, machine["pki"]["ca_cert"], machine["pki"]["ca_key"])
    made = Rotation()
    made.api.signer, made.api.key = machine["pki"]["ca_cert"], machine["pki"]["ca_key"]

    def restarted(duty, now):
        made.restarts.append("kubelet")
        processes["kubelet"] = time.time()

    monkeypatch.setattr(trust.Trust, "restart_kubelet", restarted)
    # nothing is served here: what counts is whether a component runs since before its file was written
    monkeypatch.setattr(certificates, "unsettled", lambda leaf, now: older(leaf))
    made.duty = trust.Trust(made.api, machine, "cp-a", lambda: True, made.api)
    return made


def older(leaf):
    return ("restart", leaf["component"], "older") if leaf["component"] and leaf["loaded"] is False else None


def verifies(path, roots, untrusted=None, folder=None):
    text = Path(path).read_text()
    pems = trust.blocks(text)
    (folder / "roots.pem").write_text(roots)
    (folder / "leaf.pem").write_text(pems[0])
    (folder / "rest.pem").write_text("".join(pems[1:]) or pems[0])
    made_by_openssl.openssl(
        "verify", "-CAfile", str(folder / "roots.pem"), "-untrusted", str(folder / "rest.pem"), str(folder / "leaf.pem")
    )
    return True


def leaves():
    return {name: ("%s/%s.crt" % (observe.PKI, path), authority) for name, (path, authority) in observe.FILES.items()}


OWN = {"ca": "ca_cert", "client-ca": "client_ca_cert", "etcd-ca": "etcd_ca_cert", "front-proxy-ca": "front_proxy_ca_cert"}


@on_newest
def test_without_a_rotation_nothing_is_touched_and_nothing_is_said(rotation):
    before = {str(p): p.read_bytes() for p in Path(observe.KUBERNETES).rglob("*") if p.is_file()}
    rotation.round()
    assert {str(p): p.read_bytes() for p in Path(observe.KUBERNETES).rglob("*") if p.is_file()} == before
    assert rotation.duty.notes() == {} and not rotation.duty.busy


@on_newest
def test_create_trusts_both_restarts_who_reads_once_and_renews_nothing(rotation, tmp_path):
    digests = {name: observe.on_disk(path)["digest"] for name, (path, _) in leaves().items()}
    rotation.at("create")
    # with a bundle as its signer the controller manager would not start: it signs apart before there is one
    assert "kube-controller-manager" in rotation.duty.waits
    assert len(observe.all_in(observe.PKI + "/ca.crt")) == 1 and len(observe.all_in(observe.PKI + "/signing.crt")) == 1
    steps = rotation.everything_new()
    assert {name: observe.on_disk(path)["digest"] for name, (path, _) in leaves().items()} == digests
    assert {s for s in steps} == {("restart", c) for c in ("etcd", "kube-controller-manager", "kube-scheduler")}
    assert rotation.restarts == ["kubelet"]
    for name, path in observe.AUTHORITIES.items():
        assert len(observe.all_in("%s/%s.crt" % (observe.PKI, path))) == 2, name
    assert len(observe.all_in(observe.PKI + "/client-bundle.crt")) == 4
    for name in trust.KUBECONFIGS:
        assert trust.with_authority(Path(observe.KUBERNETES, name).read_text(), rotation.create["authorities"]["ca"]["trust"]) is None
    # the controller manager reads one certificate, and the key that belongs to it
    assert len(observe.all_in(observe.PKI + "/signing.crt")) == 1
    assert observe.on_disk(observe.PKI + "/signing.crt")["digest"] == observe.on_disk(observe.PKI + "/ca.crt")["digest"]
    said = json.loads(rotation.duty.notes()["honest-paas.dev/trust"])
    assert said["waits"] is None and (said["number"], said["state"], said["document"]) == (1, "create", True)
    assert len(said["trusts"]) == 2


@on_newest
def test_promote_signs_anew_so_that_both_who_trust_the_old_and_who_trust_the_new_accept_it(rotation, tmp_path):
    rotation.at("create")
    rotation.everything_new()
    rotation.api.signer, rotation.api.key = (
        trust.blocks(rotation.promote["authorities"]["ca"]["trust"])[0],
        rotation.promote["authorities"]["ca"]["key"],
    )
    rotation.at("promote")
    steps = rotation.everything_new()
    assert ("restart", "etcd") not in steps and ("restart", "kube-apiserver") not in steps
    names = {v: k for k, v in trust.NAMES.items()}
    for name, (path, authority) in leaves().items():
        fresh = trust.blocks(rotation.promote["authorities"][names[authority]]["trust"])[0]
        assert verifies(path, fresh, folder=tmp_path), name
        assert verifies(path, rotation.doc["pki"][OWN[authority]], folder=tmp_path), name
    for kind in ("client", "server"):
        path = "%s/kubelet-%s-current.pem" % (observe.KUBELET, kind)
        assert verifies(path, rotation.doc["pki"]["ca_cert"], folder=tmp_path)
        assert os.path.islink(path)
    assert "DNS:cp-a" in reissue.names_in(observe.KUBELET + "/kubelet-server-current.pem")
    said = json.loads(rotation.duty.notes()["honest-paas.dev/trust"])
    # its document would bring it back with the old one
    assert said["waits"] is None and said["document"] is False


@on_newest
def test_a_machine_that_boots_its_old_document_in_the_middle_is_brought_along_again(rotation, tmp_path):
    rotation.at("create")
    rotation.everything_new()
    fresh = rotation.promote["authorities"]["ca"]
    rotation.api.signer, rotation.api.key = trust.blocks(fresh["trust"])[0], fresh["key"]
    rotation.at("promote")
    rotation.everything_new()
    # what the boot stage does with what it finds
    control_plane.certificates(rotation.doc)
    for name, (path, authority) in leaves().items():
        assert verifies(path, rotation.doc["pki"][OWN[authority]], folder=tmp_path), name
    rotation.round()
    assert rotation.duty.waits is not None
    rotation.everything_new()
    assert rotation.duty.waits is None


@on_newest
def test_retire_forgets_the_old_one_everywhere_and_nothing_travels_with_leaves(rotation, tmp_path):
    fresh = rotation.retire["authorities"]["ca"]
    rotation.at("create")
    rotation.everything_new()
    rotation.api.signer, rotation.api.key = fresh["trust"], fresh["key"]
    rotation.at("promote")
    rotation.everything_new()
    rotation.at("retire")
    steps = rotation.everything_new()
    assert {("restart", "etcd"), ("restart", "kube-apiserver")} <= set(steps)
    assert not [s for s in steps if s[0] == "renew"]
    old = {rotation.doc["pki"][name].strip() for name in OWN.values()}
    for path in [p for p in Path(observe.KUBERNETES).rglob("*") if p.is_file() and p.suffix in (".crt", ".conf")]:
        text = path.read_text()
        found = [base64.b64decode(part).decode() for part in trust.re.findall(r"data: *(\S+)", text)] + [text]
        assert not [1 for one in found for block in trust.blocks(one) if block.strip() in old], path
    for name, (path, _) in leaves().items():
        assert len(observe.all_in(path)) == 1, name


@on_newest
def test_what_is_signed_by_the_authority_from_before_is_asked_for_again(rotation):
    rotation.at("create")
    rotation.everything_new()
    rotation.at("promote")
    before = observe.on_disk(observe.KUBELET + "/kubelet-client-current.pem")["digest"]
    for _ in range(5):
        rotation.round()
    # the signer has not heard of it yet: nothing is put in place, and it is said
    assert observe.on_disk(observe.KUBELET + "/kubelet-client-current.pem")["digest"] == before
    assert "kubelet-client" in rotation.duty.waits


@on_newest
@pytest.mark.parametrize("fault", [OSError("refused"), ApiError(403, "forbidden")])
def test_what_was_trusted_stays_so_while_nobody_can_be_asked(rotation, fault, capsys):
    rotation.at("create")
    rotation.everything_new()
    rotation.api.fault = fault
    for _ in range(3):
        rotation.round()
    assert rotation.duty.waits is None and len(observe.all_in(observe.PKI + "/ca.crt")) == 2
    assert capsys.readouterr().out.count("cannot be read") == 1


@on_newest
def test_what_was_seen_before_the_files_changed_proves_nothing(rotation):
    rotation.at("create")
    rotation.everything_new()
    rotation.api.set = rotation.promote
    rotation.duty.round(rotation.now + 100)
    # the keeper has not looked since: nothing is claimed, and it is asked to look
    assert rotation.duty.blind and json.loads(rotation.duty.notes()["honest-paas.dev/trust"])["waits"] is not None
    rotation.duty.round(rotation.now + 200)
    assert rotation.duty.blind and rotation.duty.waits is not None


@on_newest
def test_a_state_whose_files_cannot_be_brought_is_not_claimed(rotation, monkeypatch):
    rotation.at("create")
    rotation.everything_new()
    rotation.api.set = rotation.promote

    def full(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(trust, "place", full)
    with pytest.raises(OSError):
        rotation.duty.round(rotation.now + 100)
    said = json.loads(rotation.duty.notes()["honest-paas.dev/trust"])
    assert (said["state"], said["waits"]) == ("promote", "its files are not there yet")


@on_newest
def test_the_files_are_the_boot_stages_until_it_is_done(rotation):
    rotation.duty.boot_is_done = lambda: False
    rotation.at("create")
    assert len(observe.all_in(observe.PKI + "/ca.crt")) == 1
    assert rotation.duty.waits == "its boot stage is not done"


def signer_of(wanted):
    first = trust.blocks(wanted["authorities"]["ca"]["trust"])[0]
    return observe.described(ssl.PEM_cert_to_DER_cert(first))["subject"]


@on_newest
def test_the_files_are_the_boot_stages_again_when_it_works_anew(rotation):
    rotation.at("create")
    rotation.everything_new()
    rotation.duty.boot_is_done = lambda: False
    rotation.at("promote")
    assert rotation.duty.waits == "its boot stage is not done" and not rotation.duty.blind
    assert observe.on_disk(observe.PKI + "/ca.crt")["subject"] != signer_of(rotation.promote)
    rotation.duty.boot_is_done = lambda: True
    rotation.at("promote")
    assert observe.on_disk(observe.PKI + "/ca.crt")["subject"] == signer_of(rotation.promote)


@on_newest
def test_a_worker_trusts_both_and_has_its_kubelet_certified_anew_with_its_own_name(rotation, processes, monkeypatch):
    api = Api(control_plane=False)
    processes["kubelet"] = time.time() - 10
    worker = dict(rotation.doc, node={"name": "w-1", "role": "worker"})
    duty = trust.Trust(api, worker, "w-1", lambda: True)
    part = rotation.create["authorities"]["ca"]
    api.set = {"number": 1, "state": "create", "authorities": {"ca": {"trust": part["trust"], "chain": ""}}}
    now = rotation.now
    for n in range(4):
        duty.round(now + 16 * n)
    assert duty.waits is None and rotation.restarts == ["kubelet"] and api.asked is None
    part = rotation.promote["authorities"]["ca"]
    api.set = {"number": 1, "state": "promote", "authorities": {"ca": {"trust": part["trust"], "chain": part["chain"]}}}
    api.signer, api.key = trust.blocks(part["trust"])[0], part["key"]
    kinds = []
    for n in range(4, 12):
        duty.round(now + 16 * n)
        kinds += [api.asked["signerName"]] if api.asked and api.asked["signerName"] not in kinds else []
    assert duty.waits is None and kinds == [reissue.CLIENT, reissue.SERVING]
    assert "/CN=system:node:w-1" in "/" + made_by_openssl.openssl(
        "x509", "-noout", "-subject", "-nameopt", "compat", "-in", observe.KUBELET + "/kubelet-client-current.pem"
    ).replace("CN = ", "CN=").replace(", ", "/")


@pytest.mark.parametrize(
    "members, refused",
    [
        ([{"name": "cp-a", "answers": False}], None),
        ([{"name": "cp-a", "answers": True}, {"name": "cp-b", "answers": True}], None),
        ([{"name": "cp-a", "answers": True}, {"name": "cp-b", "answers": False}], "cp-b of etcd does not answer"),
        (None, "cannot be read"),
    ],
)
def test_etcd_is_started_anew_only_when_all_others_answer(monkeypatch, members, refused):
    ran = []
    monkeypatch.setattr(renew, "run", ran.append)
    if refused is None:
        renew.restart_etcd("cp-a", members)
        assert ran == [["systemctl", "restart", "honest-etcd"]]
        return
    with pytest.raises(renew.RenewError, match=refused):
        renew.restart_etcd("cp-a", members)
    assert ran == []
