"""Programs of Kubernetes for a small test machine: they do what the boot stage needs of them, and record how they were called."""

FOLDER = "/var/lib/stand-in"

# On a control plane it is the API server too, as soon as there is a manifest of one.
KUBELET = r"""#!/bin/sh
[ "$1" = --version ] && { echo "Kubernetes v1.36.3"; exit 0; }
mkdir -p /var/lib/stand-in /var/lib/kubelet/pki
echo "$*" >> /var/lib/stand-in/kubelet
# a control plane grants itself: kubelet.conf came from kubeadm
[ -e /etc/kubernetes/manifests/kube-apiserver.yaml ] && cp /etc/kubernetes/pki/ca.crt /var/lib/kubelet/pki/kubelet-client-current.pem
[ -e /etc/kubernetes/manifests/kube-apiserver.yaml ] && exec python3 /usr/local/lib/stand-in-apiserver.py
# joined as soon as somebody grants it
while [ ! -e /var/lib/stand-in/granted ]; do sleep 0.2; done
cp /etc/kubernetes/pki/ca.crt /var/lib/kubelet/pki/kubelet-client-current.pem
exec sleep infinity
"""

APISERVER = r"""
import http.server, ssl

class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/etc/kubernetes/pki/apiserver.crt", "/etc/kubernetes/pki/apiserver.key")
server = http.server.HTTPServer(("127.0.0.1", 6443), Ready)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""

CONTAINERD = r"""#!/bin/sh
systemd-notify --ready
exec sleep infinity
"""

KUBEADM = r"""#!/bin/sh
# certificates of etcd and the API server are real, since others talk with them
mkdir -p /var/lib/stand-in
echo "$*" >> /var/lib/stand-in/kubeadm
[ -e /var/lib/stand-in/kubeadm-fails ] && { echo "stand-in: told to fail" >&2; exit 1; }
leaf() { # folder, name
  cd "$1"
  openssl ecparam -name prime256v1 -genkey -noout -out "$2.key"
  openssl req -new -key "$2.key" -subj "/CN=$2" -out /tmp/leaf.csr
  echo "subjectAltName=IP:127.0.0.1" > /tmp/leaf.ext
  openssl x509 -req -in /tmp/leaf.csr -CA ca.crt -CAkey ca.key -days 1 -extfile /tmp/leaf.ext -out "$2.crt" 2>/dev/null
}
case "$*" in
  *" certs etcd-peer "*) leaf /etc/kubernetes/pki/etcd peer ;;
  *" certs all "*) leaf /etc/kubernetes/pki apiserver ;;
  *" control-plane all "*) mkdir -p /etc/kubernetes/manifests; touch /etc/kubernetes/manifests/kube-apiserver.yaml ;;
  *" kubelet-start "*) systemctl restart kubelet ;;
esac
"""

KUBECTL = r"""#!/bin/sh
echo "$*" >> /var/lib/stand-in/kubectl
"""

ETCD = r"""#!/bin/sh
mkdir -p "$ETCD_DATA_DIR/member" /var/lib/stand-in
env | grep ^ETCD_ > /var/lib/stand-in/etcd
systemd-notify --ready
exec sleep infinity
"""

ETCDCTL = r"""#!/bin/sh
case "$*" in
  *"endpoint status"*) echo '[{"Status": {"header": {"member_id": 1}}}]' ;;
esac
[ -e /var/lib/stand-in/etcd ]
"""

# nobody calls these here: the boot stage looks whether they are there
UNUSED = "#!/bin/sh\nexit 1\n"

PROGRAMS = {"kubelet": KUBELET, "containerd": CONTAINERD, "kubeadm": KUBEADM, "kubectl": KUBECTL, "etcd": ETCD, "etcdctl": ETCDCTL}
PROGRAMS.update({"runc": UNUSED, "etcdutl": UNUSED})


def files(version="1.36.3"):
    """What a machine image of this version has, as far as the boot stage looks."""
    made = {"/usr/local/bin/" + name: (text, 0o755) for name, text in PROGRAMS.items()}
    made["/usr/local/lib/stand-in-apiserver.py"] = APISERVER
    # a minimal image has no locales to make and no program that makes keys for ssh: one that is there is kept
    made["/etc/cloud/cloud.cfg.d/95_test.cfg"] = (
        "locale: C.UTF-8\nssh_deletekeys: false\nssh_genkeytypes: [ed25519]\nno_ssh_fingerprints: true\n"
    )
    made["/etc/ssh/ssh_host_ed25519_key"] = ("none\n", 0o600)
    made["/etc/honest-paas/image.json"] = '{"kubernetes": "%s"}\n' % version
    return made
