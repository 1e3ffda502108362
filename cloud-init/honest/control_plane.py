"""The Kubernetes part of a control plane: kubeadm's local phases, nothing cluster-wide."""

import glob
import json
import os
import ssl
import time
import urllib.error
import urllib.request

from honest import kubelet
from honest.document import flags
from honest.host import PKI, Waiting, lasts, run, write
from honest.prepare import own_address

CONFIG = "/etc/honest-paas/kubeadm-%s.yaml"
BUNDLE = PKI + "/client-bundle.crt"


def trust(doc):
    """CAs and keys of the document as the files that kubeadm looks for."""
    pki = doc["pki"]
    for name, cert, key in (
        ("ca", "ca_cert", "ca_key"),
        ("client-ca", "client_ca_cert", "client_ca_key"),
        ("front-proxy-ca", "front_proxy_ca_cert", "front_proxy_ca_key"),
        ("etcd/ca", "etcd_ca_cert", "etcd_ca_key"),
    ):
        write("%s/%s.crt" % (PKI, name), pki[cert])
        write("%s/%s.key" % (PKI, name), pki[key], 0o600)
    write(PKI + "/sa.key", pki["sa_key"], 0o600)
    write(PKI + "/sa.pub", run(["openssl", "pkey", "-pubout"], data=pki["sa_key"]))
    # people and the provider have certificates of a CA of their own, so that it can be rotated without the nodes
    write(BUNDLE, pki["ca_cert"].rstrip() + "\n" + pki["client_ca_cert"])


def extra_args(doc, component, own=()):
    args = dict(own)
    args.update(flags(doc, component))
    return [{"name": k, "value": v} for k, v in sorted(args.items())]


def configuration(doc, external):
    """kubeadm's configuration. etcd's own certificates need `local`, everything else `external`."""
    address, endpoint = own_address(doc), doc["endpoint"]
    etcd = {"local": {"dataDir": "/nonexistent"}}
    if external:
        client = PKI + "/apiserver-etcd-client"
        etcd = {
            "external": {
                "endpoints": ["https://127.0.0.1:2379"],
                "caFile": PKI + "/etcd/ca.crt",
                "certFile": client + ".crt",
                "keyFile": client + ".key",
            }
        }
    names = [endpoint["name"], endpoint["address"], "127.0.0.1", "localhost", address] + list(doc.get("cert_names", []))
    life = "%ds" % doc["leaf_seconds"]
    cluster = {
        "apiVersion": "kubeadm.k8s.io/v1beta4",
        "kind": "ClusterConfiguration",
        "clusterName": doc["cluster"]["name"],
        "kubernetesVersion": "v" + doc["version"],
        "controlPlaneEndpoint": "%s:%d" % (endpoint["name"], endpoint["port"]),
        "encryptionAlgorithm": "ECDSA-P256",
        "certificateValidityPeriod": life,
        "networking": {
            "podSubnet": doc["network"]["pod_cidr"],
            "serviceSubnet": doc["network"]["service_cidr"],
            "dnsDomain": doc["network"]["cluster_domain"],
        },
        "etcd": etcd,
        "apiServer": {
            "certSANs": sorted(set(n for n in names if n)),
            # told to stop, it says so at /readyz and serves until balancers have heard it
            "extraArgs": extra_args(doc, "kube-apiserver", {"client-ca-file": BUNDLE, "shutdown-delay-duration": "5s"}),
        },
        "controllerManager": {"extraArgs": extra_args(doc, "kube-controller-manager", {"cluster-signing-duration": life})},
        "scheduler": {"extraArgs": extra_args(doc, "kube-scheduler")},
    }
    init = {
        "apiVersion": "kubeadm.k8s.io/v1beta4",
        "kind": "InitConfiguration",
        "nodeRegistration": {
            "name": doc["node"]["name"],
            "criSocket": "unix:///run/containerd/containerd.sock",
            "imagePullPolicy": "IfNotPresent",
            "taints": kubelet.taints(doc),
        },
        "localAPIEndpoint": {"advertiseAddress": address, "bindPort": endpoint["port"]},
    }
    return "\n---\n".join(json.dumps(part, indent=1, sort_keys=True) for part in (cluster, init, kubelet.configuration(doc)))


def phase(kind, *words):
    run(["kubeadm", "init", "phase", *words, "--config", CONFIG % kind])


def certificates(doc):
    # kubeadm keeps what is there: what ended while the machine was off, and what an authority signed that the document does
    # not know. Made anew, a boot begins where the document is, and the agent brings it to where the cluster is
    for path in glob.glob(PKI + "/**/*.*", recursive=True):
        os.remove(path)
    trust(doc)
    for kind in ("local", "external"):
        write(CONFIG % kind, configuration(doc, kind == "external"), 0o600)
    for name in ("etcd-server", "etcd-peer", "etcd-healthcheck-client", "apiserver-etcd-client"):
        phase("local", "certs", name)
    phase("external", "certs", "all")


def components(doc):
    # made anew at each boot: kubelet does not start with one that has ended, whatever it holds beside it
    for path in glob.glob("/etc/kubernetes/*.conf"):
        os.remove(path)
    phase("external", "kubeconfig", "all")
    phase("external", "control-plane", "all")
    kubelet.install(doc)
    phase("external", "kubelet-start")


def api(doc):
    """Waits for this machine's own API server."""
    context = ssl.create_default_context(cafile=PKI + "/ca.crt")
    url = "https://%s:%d/readyz" % (own_address(doc), doc["endpoint"]["port"])
    # short, so that the reason is on the console and in the marker soon; the stage is tried again for as long as it takes
    end, last = time.time() + 20, ""
    while time.time() < end:
        try:
            with urllib.request.urlopen(url, timeout=5, context=context):
                return
        except urllib.error.HTTPError as cause:
            last = "HTTP %d: %s" % (cause.code, cause.read().decode(errors="replace").replace("\n", " ")[-200:])
        except OSError as cause:
            last = str(cause)
        time.sleep(0.5)
    raise Waiting("the API server of this machine is not ready: %s%s" % (last, crashed()))


def crashed():
    """The last words of a component that keeps ending: a wrong flag is found here and nowhere else."""
    base = "/var/log/pods"
    if not os.path.isdir(base):
        return ""
    for pod in sorted(os.listdir(base)):
        if not pod.startswith("kube-system_kube-apiserver"):
            continue
        for root, _, files in os.walk(os.path.join(base, pod)):
            for name in sorted(files)[-1:]:
                with open(os.path.join(root, name), encoding="utf-8", errors="replace") as f:
                    lines = [x.strip() for x in f if "rror" in x]
                if lines:
                    return "; kube-apiserver said: " + lines[-1][-200:]
    return ""


def role(doc):
    """The node's role label: only a person's or kubeadm's right, never the kubelet's own."""
    name = doc["node"]["name"]
    config = ["--kubeconfig=/etc/kubernetes/super-admin.conf"]
    there = run(["kubectl", *config, "get", "node", name, "-o", "name"], check=False).returncode == 0
    if not there or not lasts(kubelet.CERTIFICATE, 0):
        raise Waiting("the node %s is not registered yet" % name if not there else "kubelet has no certificate of its own yet")
    # from now on kubelet asks with what it renewed last: with the one in its file it would end with that
    phase("external", "kubelet-finalize", "all")
    run(["kubectl", *config, "label", "--overwrite", "node", name, "node-role.kubernetes.io/control-plane="])
