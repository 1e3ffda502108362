#!/bin/bash
# The yardstick: the machines of the demo (same image, same shape) brought up by hand, the way a blog post does it: docker
# run, kubeadm init, kubeadm join, kube-router. Prints "STEP SECONDS" lines. Usage: bare.sh VERSION WORKERS ROUTER_VERSION PAUSE
set -euo pipefail
version=$1 workers=$2 router=$3 pause=$4
name=honest-bare
label=honest-paas.dev/bench=bare
begun=$(date +%s.%N)
step() { printf '%s %.1f\n' "$1" "$(echo "$(date +%s.%N) $begun" | awk '{print $1-$2}')"; }

clean() {
  docker ps -aq --filter "label=$label" | xargs -r docker rm -fv >/dev/null
  docker network ls -q --filter "label=$label" | xargs -r docker network rm >/dev/null
}
trap clean EXIT
clean
docker network create --label "$label" --subnet 10.97.255.0/24 -o com.docker.network.bridge.enable_ip_masquerade=false $name >/dev/null

machine() {
  docker run -d --name "$1" --hostname "$1" --label "$label" --cap-add ALL --cap-drop SYS_RESOURCE --security-opt seccomp=unconfined \
    --security-opt apparmor=unconfined --security-opt systempaths=unconfined --cgroupns private --stop-signal SIGRTMIN+3 \
    --device /dev/kmsg --device-cgroup-rule 'a *:* rwm' --network $name --ip "$2" --tmpfs /run --tmpfs /run/lock --tmpfs /tmp:exec \
    -e SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 -v /var/lib/containerd -v /var/lib/kubelet -v /var/lib/etcd -v /lib/modules:/lib/modules:ro \
    "honest-paas/machine:$version" /lib/systemd/systemd >/dev/null
}

prepare() {
  docker exec -i "$1" bash -s <<X
set -e
until systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded|starting'; do sleep 0.1; done
for m in /sys/fs/cgroup/*; do mountpoint -q \$m && mount -o remount,bind,rw \$m || true; done
mount --make-rshared /
echo nameserver 192.0.2.1 > /etc/honest-bare-resolv.conf
mkdir -p /etc/containerd /etc/cni/net.d
cat > /etc/containerd/config.toml <<'Y'
version = 3
[plugins.'io.containerd.cri.v1.images']
discard_unpacked_layers = true
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = 'registry.k8s.io/pause:$pause'
[plugins.'io.containerd.cri.v1.runtime']
restrict_oom_score_adj = true
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
SystemdCgroup = false
Y
cat > /etc/systemd/system/containerd.service <<'Y'
[Service]
Type=notify
ExecStart=/usr/local/bin/containerd
Delegate=yes
KillMode=process
Y
cat > /etc/systemd/system/kubelet.service <<'Y'
[Service]
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
ExecStart=/usr/local/bin/kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml \$KUBELET_KUBEADM_ARGS
Restart=always
RestartSec=1
[Install]
WantedBy=multi-user.target
Y
systemctl daemon-reload
systemctl start containerd
systemctl enable -q kubelet
X
}

machine $name-cp 10.97.255.11
for n in $(seq "$workers"); do machine $name-w$n 10.97.255.$((20 + n)); done
step created
pids=()
for m in cp $(seq -f 'w%g' "$workers"); do prepare $name-$m & pids+=($!); done
for pid in "${pids[@]}"; do wait "$pid"; done
step prepared

docker exec -i $name-cp bash -s <<X
cat > /root/kubeadm.yaml <<'Y'
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
bootstrapTokens: [{token: abcdef.0123456789abcdef}]
nodeRegistration: {criSocket: "unix:///run/containerd/containerd.sock", imagePullPolicy: Never, taints: []}
localAPIEndpoint: {advertiseAddress: 10.97.255.11}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v$version
controlPlaneEndpoint: 10.97.255.11:6443
encryptionAlgorithm: ECDSA-P256
networking: {podSubnet: 10.244.0.0/16, serviceSubnet: 10.96.0.0/16}
etcd: {external: {endpoints: ["http://127.0.0.1:2379"]}}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
failCgroupV1: false
resolvConf: /etc/honest-bare-resolv.conf
featureGates: {KubeletInUserNamespace: true}
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
conntrack: {maxPerCore: 0}
Y
# the image has etcd as a program and not as a container image
systemd-run -q --unit etcd /usr/local/bin/etcd --data-dir /var/lib/etcd
kubeadm init --config /root/kubeadm.yaml --ignore-preflight-errors=all > /root/init.log 2>&1 || { tail -20 /root/init.log; exit 1; }
X
step init
pids=()
for n in $(seq "$workers"); do
  docker exec $name-w$n sh -c 'kubeadm join 10.97.255.11:6443 --token abcdef.0123456789abcdef --discovery-token-unsafe-skip-ca-verification --ignore-preflight-errors=all > /root/join.log 2>&1 || { tail -20 /root/join.log; exit 1; }' &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
step joined

docker exec -i $name-cp kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f - >/dev/null <<X
apiVersion: v1
kind: ServiceAccount
metadata: {name: kube-router, namespace: kube-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: kube-router}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: kube-router, namespace: kube-system}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: kube-router, namespace: kube-system}
spec:
  selector: {matchLabels: {app: kube-router}}
  template:
    metadata: {labels: {app: kube-router}}
    spec:
      hostNetwork: true
      serviceAccountName: kube-router
      tolerations: [{operator: Exists}]
      initContainers:
      - name: cni
        image: docker.io/cloudnativelabs/kube-router:v$router
        imagePullPolicy: Never
        command: [sh, -c, 'echo ''{"cniVersion":"0.3.0","name":"k","plugins":[{"name":"kubernetes","type":"bridge","bridge":"kube-bridge","isDefaultGateway":true,"ipam":{"type":"host-local"}}]}'' > /etc/cni/net.d/10-kuberouter.conflist']
        volumeMounts: [{name: cni, mountPath: /etc/cni/net.d}]
      containers:
      - name: kube-router
        image: docker.io/cloudnativelabs/kube-router:v$router
        imagePullPolicy: Never
        command: [/usr/local/bin/kube-router]
        args: [--run-router=true, --run-firewall=true, --run-service-proxy=false, --bgp-graceful-restart=true, --enable-overlay=false]
        env: [{name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}, {name: KUBE_ROUTER_CNI_CONF_FILE, value: /etc/cni/net.d/10-kuberouter.conflist}]
        securityContext: {privileged: true}
        volumeMounts: [{name: cni, mountPath: /etc/cni/net.d}, {name: mod, mountPath: /lib/modules, readOnly: true}]
      volumes:
      - {name: cni, hostPath: {path: /etc/cni/net.d}}
      - {name: mod, hostPath: {path: /lib/modules}}
X
docker exec $name-cp kubectl --kubeconfig /etc/kubernetes/admin.conf wait --for=condition=Ready node --all --timeout=180s >/dev/null
step ready
docker exec $name-cp kubectl --kubeconfig /etc/kubernetes/admin.conf -n kube-system rollout status deployment/coredns --timeout=180s >/dev/null
step dns
