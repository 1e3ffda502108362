"""Real etcd, API server and controller manager in the middle of a rotation: who believes whom, and what is read anew."""

import base64
import json
import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import reissue
from support import trust
from support.etc_kubernetes import kubeadms


def programs():
    """Newest kube-apiserver and kube-controller-manager beside kubeadm in the artefact cache, and etcd; None without."""
    newest = sorted(kubeadms().items())[-1:]
    cache = os.environ.get("HONEST_PAAS_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "honest-paas")
    etcd = sorted(Path(cache).glob("go/go.etcd.io_etcd_server_v3@*/amd64/etcd"))
    found = [Path(newest[0][1]).parent / name for name in ("kube-apiserver", "kube-controller-manager")] if newest and etcd else []
    return found + etcd[-1:] if found and all(path.exists() for path in found) else None


pytestmark = [
    pytest.mark.world,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
    pytest.mark.skipif(programs() is None, reason="no etcd or Kubernetes in the artefact cache: honest-paas mirror build"),
]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def eventually(what, check, seconds=90):
    end, last = time.time() + seconds, None
    while time.time() < end:
        try:
            last = check()
            if last:
                return last
        except (OSError, AssertionError) as cause:
            last = cause
        time.sleep(0.3)
    raise AssertionError("%s: not true after %d s, last: %s" % (what, seconds, last))


class World:
    """Files below one folder, processes that end with the test."""

    def __init__(self, folder):
        self.folder, self.children = folder, []
        self.old = trust.bundle(folder)
        self.sets = dict(zip(("create", "promote", "retire"), trust.successors(folder, self.old), strict=True))

    def write(self, name, text):
        path = self.folder / name
        part = self.folder / (name + ".part")
        part.write_text(text)
        os.rename(part, path)
        return str(path)

    def leaf(self, name, authority, subject, fresh, chained=True):
        """Writes name.crt and name.key, signed by the old authority or by the fresh one, with what travels with it."""
        part = self.sets["promote"]["authorities"][authority]
        cert = part["trust"].split("-----END")[0] + "-----END CERTIFICATE-----\n"
        by = (cert, part["key"]) if fresh else (self.old[authority + "_cert"], self.old[authority + "_key"])
        made, key = trust.leaf(self.folder, *by, subject, ["127.0.0.1", "localhost"])
        return self.write(name + ".crt", made + (part["chain"] if fresh and chained else "")), self.write(name + ".key", key)

    def start(self, program, **flags):
        log = open(self.folder / (Path(program).name + ".log"), "w", encoding="utf-8")
        argv = [str(program)] + ["--%s=%s" % (name.replace("_", "-"), value) for name, value in flags.items()]
        self.children.append(subprocess.Popen(argv, stdout=log, stderr=subprocess.STDOUT))

    def said(self, program):
        return (self.folder / (program + ".log")).read_text()[-1500:]


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    yield made
    for child in reversed(made.children):
        child.kill()
        child.wait()


def ask(port, path, cafile, pair=None, headers=None, body=None):
    """Status and text of an answer; a link that is not believed raises OSError."""
    context = ssl.create_default_context(cafile=cafile)
    if pair:
        context.load_cert_chain(*pair)
    asked = urllib.request.Request("https://127.0.0.1:%d%s" % (port, path), headers=headers or {}, data=body)
    if body:
        asked.add_header("content-type", "application/json")
    try:
        with urllib.request.urlopen(asked, timeout=10, context=context) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as cause:
        return cause.code, cause.read().decode()


def test_everybody_believes_everybody_and_the_api_server_reads_its_files_anew(world):
    api_server, manager, etcd = programs()
    old = {name: world.write("old-%s.crt" % name, world.old[name + "_cert"]) for name in trust.NAMES}
    ports = {name: free_port() for name in ("client", "peer", "api", "manager")}

    # etcd and the API server are new already, and trust the old authority only, as a machine whose document is of before
    cert, key = world.leaf("etcd", "etcd_ca", "etcd", True)
    url = "https://127.0.0.1:%d"
    tls = {"trusted_ca_file": old["etcd_ca"], "client_cert_auth": "true", "cert_file": cert, "key_file": key}
    peer = {"peer_trusted_ca_file": old["etcd_ca"], "peer_client_cert_auth": "true", "peer_cert_file": cert, "peer_key_file": key}
    world.start(
        etcd,
        **tls,
        **peer,
        data_dir=world.folder / "data",
        listen_client_urls=url % ports["client"],
        advertise_client_urls=url % ports["client"],
        listen_peer_urls=url % ports["peer"],
        initial_advertise_peer_urls=url % ports["peer"],
        initial_cluster="default=" + url % ports["peer"],
    )
    client = world.leaf("apiserver-etcd-client", "etcd_ca", "x", True)
    bare = world.leaf("bare-etcd-client", "etcd_ca", "x", True, chained=False)
    eventually("etcd answers", lambda: ask(ports["client"], "/health", old["etcd_ca"], client)[0] == 200)
    # without what travels with it nobody would believe it
    with pytest.raises(OSError):
        ask(ports["client"], "/health", old["etcd_ca"], bare)

    serving = world.leaf("apiserver", "ca", "kube-apiserver", True)
    public = world.write("sa.pub", trust.openssl("pkey", "-pubout", data=world.old["sa_key"]))
    accounts = world.write("sa.key", world.old["sa_key"])
    bundle = world.write("client-bundle.crt", world.old["ca_cert"] + world.old["client_ca_cert"])
    front = world.write("front-proxy-ca.crt", world.old["front_proxy_ca_cert"])
    world.start(
        api_server,
        etcd_servers=url % ports["client"],
        etcd_cafile=old["etcd_ca"],
        etcd_certfile=client[0],
        etcd_keyfile=client[1],
        secure_port=ports["api"],
        bind_address="127.0.0.1",
        tls_cert_file=serving[0],
        tls_private_key_file=serving[1],
        client_ca_file=bundle,
        requestheader_client_ca_file=front,
        requestheader_username_headers="X-Remote-User",
        requestheader_group_headers="X-Remote-Group",
        requestheader_allowed_names="",
        service_account_key_file=public,
        service_account_signing_key_file=accounts,
        service_account_issuer="https://kubernetes.default.svc",
        service_cluster_ip_range="10.96.0.0/16",
        authorization_mode="Node,RBAC",
        anonymous_auth="false",
    )
    kubelet = world.leaf("kubelet", "ca", "system:node:x/O=system:nodes", True)
    person = world.leaf("person", "client_ca", "somebody", True)
    unknown = world.leaf("bare-person", "client_ca", "somebody", True, chained=False)
    before = world.leaf("person-before", "client_ca", "somebody", False)
    proxy = world.leaf("front-proxy", "front_proxy_ca", "front-proxy-client", True)
    who = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    review = json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}).encode()

    def name(pair, headers=None, cafile=old["ca"]):
        status, text = ask(ports["api"], who, cafile, pair, headers, review)
        return json.loads(text)["status"]["userInfo"]["username"] if status == 201 else status

    eventually("the API server knows a kubelet", lambda: name(kubelet) == "system:node:x")
    assert [name(pair) for pair in (person, before, unknown)] == ["somebody", "somebody", 401]
    assert name(proxy, {"X-Remote-User": "jane", "X-Remote-Group": "people"}) == "jane"

    signs(world, manager, ports, old["ca"], kubelet)

    # retired: the same process drops the old ones, and what travelled with its own certificate
    retire = world.sets["retire"]["authorities"]
    fresh = world.write("fresh-ca.crt", retire["ca"]["trust"])
    world.write("client-bundle.crt", retire["ca"]["trust"] + retire["client_ca"]["trust"])
    eventually("the old client is refused", lambda: name(before, cafile=fresh) == 401)
    assert [name(pair, cafile=fresh) for pair in (person, unknown)] == ["somebody", "somebody"]
    world.write("apiserver.crt", trust.openssl("x509", "-in", serving[0]))
    eventually("who trusts the old one only turns away", lambda: refused(lambda: name(person)))
    assert name(person, cafile=fresh) == "somebody"


def signs(world, manager, ports, cafile, kubelet):
    """The controller manager signs with a file of one certificate, not with a bundle; and hands the bundle to pods."""
    admin = world.leaf("admin", "client_ca", "admin/O=system:masters", True)
    part = world.sets["promote"]["authorities"]["ca"]
    bundle = world.write("bundle.crt", part["trust"])
    single = world.write("signing.crt", part["trust"].split("-----END")[0] + "-----END CERTIFICATE-----\n")
    key = world.write("signing.key", part["key"])
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:%d" % ports["api"], "certificate-authority": cafile}}],
        "users": [{"name": "u", "user": {"client-certificate": admin[0], "client-key": admin[1]}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    flags = {"kubeconfig": world.write("manager.conf", json.dumps(config)), "leader_elect": "false", "root_ca_file": bundle}
    flags.update({"controllers": "csrsigning,root-ca-cert-publisher", "secure_port": ports["manager"], "bind_address": "127.0.0.1"})
    # a bundle keeps it from starting at all
    world.start(manager, cluster_signing_cert_file=bundle, cluster_signing_key_file=key, **flags)
    assert world.children[-1].wait(60) != 0
    assert "expected 1 certificate, found 2" in world.said("kube-controller-manager")
    world.start(manager, cluster_signing_cert_file=single, cluster_signing_key_file=key, **flags)

    def call(path, pair, data=None):
        status, text = ask(ports["api"], path, cafile, pair, body=data and json.dumps(data).encode())
        assert status < 300, text
        return json.loads(text)

    def published():
        status, text = ask(ports["api"], "/api/v1/namespaces/default/configmaps/kube-root-ca.crt", cafile, admin)
        return status == 200 and json.loads(text)["data"]["ca.crt"].count("BEGIN CERTIFICATE") == 2

    eventually("pods are given both", published)
    requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    body = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "csr-1"}}
    text = reissue.request("x", trust.new_key(), "kubelet-client")
    signer, usages = reissue.WANTED["kubelet-client"]
    # a kubelet's own right, as the agent asks: no grant and no token
    spec = {"request": base64.b64encode(text.encode()).decode(), "signerName": signer, "usages": usages}
    made = call(requests, kubelet, dict(body, spec=spec))
    made["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "Test", "message": "by the test"}]}
    put(ports["api"], requests + "/csr-1/approval", cafile, admin, made)
    issued = eventually("it is signed", lambda: call(requests + "/csr-1", admin)["status"].get("certificate"))
    assert "demo-ca-1" in trust.openssl("x509", "-noout", "-issuer", data=base64.b64decode(issued).decode())


def put(port, path, cafile, pair, data):
    context = ssl.create_default_context(cafile=cafile)
    context.load_cert_chain(*pair)
    url, headers = "https://127.0.0.1:%d%s" % (port, path), {"content-type": "application/json"}
    asked = urllib.request.Request(url, headers=headers, data=json.dumps(data).encode(), method="PUT")
    with urllib.request.urlopen(asked, timeout=10, context=context) as reply:
        assert reply.status == 200


def refused(call):
    try:
        call()
    except OSError:
        return True
    return False
