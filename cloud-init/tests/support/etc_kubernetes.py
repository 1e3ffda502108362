"""The fixture `machine`: /etc/kubernetes of a control plane, by the real kubeadm, in a folder of the test's own."""

import json
import os
import sys
from pathlib import Path

import documents
import pytest
from honest import control_plane, host, kubelet

from support import trust

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "honest_agent"))
import observe
import renew


def kubeadms():
    """Those that the mirror has built or fetched on this computer, by version."""
    cache = os.environ.get("HONEST_PAAS_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "honest-paas")
    return {p.parts[-5]: str(p) for p in sorted(Path(cache).glob("mirror/dl.k8s.io/v*/bin/linux/*/kubeadm"))}


def run_kubeadm(path):
    return lambda kind, *words: host.run([path, "init", "phase", *words, "--config", control_plane.CONFIG % kind])


@pytest.fixture(params=sorted(kubeadms().items()) or [None], ids=lambda p: p[0] if p else "none")
def machine(request, monkeypatch, tmp_path):
    """/etc/kubernetes of a control plane as the boot stage leaves it, with certificates of an hour."""
    if request.param is None:
        pytest.skip("no kubeadm in the artefact cache: honest-paas mirror build")
    kubernetes, pki = tmp_path / "kubernetes", tmp_path / "kubernetes/pki"
    monkeypatch.setattr(host, "STATE", str(tmp_path))
    monkeypatch.setattr(kubelet, "machine_id", lambda: "i-1")
    monkeypatch.setattr(kubelet, "in_container", lambda: False)
    monkeypatch.setattr(kubelet.runtime, "systemd_cgroups", lambda: True)
    for module in (control_plane, observe):
        monkeypatch.setattr(module, "PKI", str(pki))
    monkeypatch.setattr(control_plane, "BUNDLE", str(pki / "client-bundle.crt"))
    monkeypatch.setattr(observe, "KUBERNETES", str(kubernetes))
    for module in (control_plane, renew):
        monkeypatch.setattr(module, "CONFIG", str(tmp_path / "kubeadm-%s.yaml"))
    monkeypatch.setattr(renew, "KUBEADM", request.param[1])
    monkeypatch.setattr(control_plane, "phase", run_kubeadm(request.param[1]))
    doc = documents.control_plane(pki=trust.bundle(tmp_path), leaf_seconds=3600, component_flags={})
    # in the product kubeadm's own default; here the folder is the test's
    made = control_plane.configuration

    def configuration(doc, external):
        parts = [json.loads(part) for part in made(doc, external).split("\n---\n")]
        parts[0]["certificatesDir"] = str(pki)
        return "\n---\n".join(json.dumps(part) for part in parts)

    monkeypatch.setattr(control_plane, "configuration", configuration)
    control_plane.certificates(doc)
    control_plane.phase("external", "kubeconfig", "all", "--kubeconfig-dir", str(kubernetes))
    return doc
