"""Programs of Kubernetes for a small test machine: they do what the boot stage needs of them, and record how they were called."""

KUBELET = r"""#!/bin/sh
[ "$1" = --version ] && { echo "Kubernetes v1.36.3"; exit 0; }
mkdir -p /var/lib/stand-in /var/lib/kubelet/pki
echo "$*" >> /var/lib/stand-in/kubelet
# joined as soon as somebody grants it
while [ ! -e /var/lib/stand-in/granted ]; do sleep 0.2; done
cp /etc/kubernetes/pki/ca.crt /var/lib/kubelet/pki/kubelet-client-current.pem
exec sleep infinity
"""

CONTAINERD = r"""#!/bin/sh
systemd-notify --ready
exec sleep infinity
"""

KUBEADM = r"""#!/bin/sh
# certificates of etcd are real, since peers talk with them
mkdir -p /var/lib/stand-in
echo "$*" >> /var/lib/stand-in/kubeadm
[ -e /var/lib/stand-in/kubeadm-fails ] && { echo "stand-in: told to fail" >&2; exit 1; }
case "$*" in *" certs etcd-peer "*)
  cd /etc/kubernetes/pki/etcd
  openssl ecparam -name prime256v1 -genkey -noout -out peer.key
  openssl req -new -key peer.key -subj /CN=peer -out /tmp/peer.csr
  echo "subjectAltName=IP:127.0.0.1" > /tmp/peer.ext
  openssl x509 -req -in /tmp/peer.csr -CA ca.crt -CAkey ca.key -days 1 -extfile /tmp/peer.ext -out peer.crt 2>/dev/null
esac
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

PROGRAMS = {"kubelet": KUBELET, "containerd": CONTAINERD, "kubeadm": KUBEADM, "etcd": ETCD, "etcdctl": ETCDCTL}


def files(version="1.36.3"):
    """What a machine image of this version has, as far as the boot stage looks."""
    made = {"/usr/local/bin/" + name: (text, 0o755) for name, text in PROGRAMS.items()}
    # a minimal image has no locales to make and no program that makes keys for ssh: one that is there is kept
    made["/etc/cloud/cloud.cfg.d/95_test.cfg"] = "locale: C.UTF-8\nssh_deletekeys: false\nssh_genkeytypes: [ed25519]\nno_ssh_fingerprints: true\n"
    made["/etc/ssh/ssh_host_ed25519_key"] = ("none\n", 0o600)
    made["/etc/honest-paas/image.json"] = '{"kubernetes": "%s"}\n' % version
    return made
