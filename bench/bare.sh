#!/bin/bash
# The yardstick: the demo's machines (same image, same number, same limits) made into a cluster by hand, the way a tutorial
# does it: docker run, kubeadm init, pod network, kubeadm join, then the demo's own proof by a workload.
#   bare.sh up NAME VERSION WORKERS PAUSE NETWORK.json WORKLOAD.json    prints "STEP SECONDS", removes everything at its end
#   bare.sh down NAME                                                   removes what a killed run left
set -euo pipefail
name=$2
label=honest-paas.dev/bench=$name
step() { printf '%s %.1f\n' "$1" "$(echo "$(date +%s.%N) $begun" | awk '{print $1-$2}')"; }

clean() {
  docker ps -aq --filter "label=$label" | xargs -r docker rm -fv >/dev/null
  docker network ls -q --filter "label=$label" | xargs -r docker network rm >/dev/null
}
if [ "$1" = down ]; then
  clean
  exit 0
fi
version=$3 workers=$4 pause=$5 network=$6 workload=$7
trap clean EXIT
trap 'exit 130' INT TERM
clean
begun=$(date +%s.%N)
subnet=10.97.255
api=$subnet.11
docker network create --label "$label" --subnet $subnet.0/24 -o com.docker.network.bridge.enable_ip_masquerade=false "$name" >/dev/null

# limits and rights of the demo's machines; the demo has volumes for containerd and kubelet and a disk for etcd
machine() {
  docker run -d --name "$1" --hostname "$1" --label "$label" --cap-add ALL --cap-drop SYS_RESOURCE --security-opt seccomp=unconfined \
    --security-opt apparmor=unconfined --security-opt systempaths=unconfined --cgroupns private --stop-signal SIGRTMIN+3 \
    --cpus 2 --memory 2048m --memory-swap 2048m --pids-limit -1 --device /dev/kmsg --device-cgroup-rule 'a *:* rwm' \
    --network "$name" --ip "$2" --tmpfs /run --tmpfs /run/lock --tmpfs /tmp:exec -e SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 \
    -v /var/lib/containerd -v /var/lib/kubelet -v /var/lib/etcd -v /lib/modules:/lib/modules:ro "honest-paas/machine:$version" \
    /bin/sh -c '[ ! -e /sys/fs/cgroup/cgroup.controllers ] || mount -o remount,rw /sys/fs/cgroup; exec /lib/systemd/systemd' >/dev/null
}

prepare() {
  docker exec -i "$1" bash -s <<X
set -e
until systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded|starting'; do sleep 0.1; done
for m in /sys/fs/cgroup/*; do mountpoint -q \$m && mount -o remount,bind,rw \$m || true; done
mount --make-rshared /
ip route replace default dev eth0
echo nameserver $subnet.1 > /etc/bare-resolv.conf
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

# runs one command a machine at once; the first that fails ends the script
on_all() {
  local pids=() pid machine
  for machine in "${@:2}"; do
    "$1" "$name-$machine" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done
}
joiners=()
for n in $(seq "$workers"); do joiners+=("w$n"); done

machine "$name-cp" $api
for n in $(seq "$workers"); do machine "$name-w$n" $subnet.$((20 + n)); done
step machines
on_all prepare cp "${joiners[@]}"
step containerd

docker exec -i "$name-cp" bash -s <<X
cat > /root/kubeadm.yaml <<'Y'
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
bootstrapTokens: [{token: abcdef.0123456789abcdef}]
nodeRegistration: {criSocket: "unix:///run/containerd/containerd.sock", imagePullPolicy: Never}
localAPIEndpoint: {advertiseAddress: $api}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v$version
controlPlaneEndpoint: $api:6443
encryptionAlgorithm: ECDSA-P256
networking: {podSubnet: 10.244.0.0/16, serviceSubnet: 10.96.0.0/16}
etcd: {external: {endpoints: ["http://127.0.0.1:2379"]}}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
resolvConf: /etc/bare-resolv.conf
evictionHard: {imagefs.available: 256Mi, memory.available: 100Mi, nodefs.available: 256Mi, nodefs.inodesFree: 1%}
imageGCHighThresholdPercent: 100
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
kubectl() { docker exec -i "$name-cp" kubectl --kubeconfig /etc/kubernetes/admin.conf "$@"; }
kubectl apply -f - <"$network" >/dev/null
step network
join() {
  docker exec "$1" sh -c "kubeadm join $api:6443 --token abcdef.0123456789abcdef --discovery-token-unsafe-skip-ca-verification \
    --ignore-preflight-errors=all > /root/join.log 2>&1 || { tail -20 /root/join.log; exit 1; }"
}
on_all join "${joiners[@]}"
step joined
kubectl wait --for=condition=Ready node --all --timeout=180s >/dev/null
step ready

# two replicas on two nodes, asked by the Service's DNS name until the one on the other node has answered
kubectl apply -f - <"$workload" >/dev/null
until
  mapfile -t pods < <(kubectl get pods -l app=honest-demo -o 'jsonpath={range .items[*]}{.metadata.name} {.spec.nodeName} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}')
  read -r from here ready1 <<<"${pods[0]:-}"
  read -r to there ready2 <<<"${pods[1]:-}"
  [ ${#pods[@]} = 2 ] && [ "${ready1:-}${ready2:-}" = TrueTrue ] && [ "$here" != "$there" ]
do
  # a wished spread may come out uneven; the demo makes one of them anew too
  if [ ${#pods[@]} = 2 ] && [ "${ready1:-}${ready2:-}" = TrueTrue ]; then kubectl delete pod "$from" >/dev/null; fi
  [ $SECONDS -lt 300 ] || {
    printf '%s\n' "the replicas are not Ready on two nodes:" "${pods[@]}"
    exit 1
  }
  sleep 0.3
done
ask="/api/v1/namespaces/default/pods/$from:8080/proxy/dial?host=honest-demo.default.svc.cluster.local&port=80&request=hostname&protocol=http&tries=1"
until said=$(kubectl get --raw "$ask" 2>&1) && [[ $said == *"\"$to\""* ]]; do
  [ $SECONDS -lt 360 ] || {
    printf '%s\n' "the workload does not answer: $said"
    exit 1
  }
  sleep 0.3
done
step workload
