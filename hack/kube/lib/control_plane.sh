# shellcheck shell=bash
# shellcheck disable=SC2154  # names of base.sh
# control_plane.sh: the processes on the host: etcd, the API server, controllers, scheduler, DNS,
# metrics, volumes and a kube-proxy, so that the host reaches Services too.

control_plane=(etcd kube-apiserver kube-controller-manager kube-scheduler kube-proxy coredns volume-provisioner metrics-server)

start_control_plane() {
  # --unsafe-no-fsync: this cluster may lose its data with the machine
  daemon etcd "$bin/etcd" --data-dir="$state/etcd" --unsafe-no-fsync --log-level=warn \
    --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
    --listen-peer-urls=http://127.0.0.1:2380 --initial-advertise-peer-urls=http://127.0.0.1:2380 --initial-cluster=default=http://127.0.0.1:2380
  # The tolerations are how long pods stay bound to a node that is gone: 300 s by default, too long to wait for in a test.
  daemon kube-apiserver "$bin/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
    --bind-address="$host_ip" --secure-port=6443 --advertise-address="$host_ip" --service-cluster-ip-range="$service_cidr" \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" --client-ca-file="$pki/ca.crt" \
    --kubelet-client-certificate="$pki/apiserver-kubelet.crt" --kubelet-client-key="$pki/apiserver-kubelet.key" \
    --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --service-account-key-file="$pki/accounts.pub" --service-account-signing-key-file="$pki/accounts.key" \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --requestheader-client-ca-file="$pki/front-ca.crt" --requestheader-allowed-names=front-proxy --requestheader-username-headers=X-Remote-User \
    --requestheader-group-headers=X-Remote-Group --requestheader-extra-headers-prefix=X-Remote-Extra- \
    --proxy-client-cert-file="$pki/front.crt" --proxy-client-key-file="$pki/front.key" --enable-aggregator-routing=true \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --anonymous-auth=true --allow-privileged=true \
    --default-not-ready-toleration-seconds="$evict_after" --default-unreachable-toleration-seconds="$evict_after" \
    --event-ttl=2h --profiling=false
  wait_for 60 "the API server answers" "$log/kube-apiserver.log" kubectl get --raw /readyz
  # Its default of 20 requests a second makes it spend 5 s on creating its own clients.
  daemon kube-controller-manager "$bin/kube-controller-manager" --kubeconfig="$state/controllers.kubeconfig" \
    --authentication-kubeconfig="$state/controllers.kubeconfig" --authorization-kubeconfig="$state/controllers.kubeconfig" \
    --bind-address=127.0.0.1 --use-service-account-credentials=true --leader-elect=false \
    --root-ca-file="$pki/ca.crt" --service-account-private-key-file="$pki/accounts.key" \
    --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key" \
    --flex-volume-plugin-dir="$state/flexvolume" --kube-api-qps=200 --kube-api-burst=400 --concurrent-statefulset-syncs=5 --allocate-node-cidrs=false \
    --node-monitor-period=2s --node-monitor-grace-period="$node_grace" --horizontal-pod-autoscaler-sync-period=5s --profiling=false
  daemon kube-scheduler "$bin/kube-scheduler" --kubeconfig="$state/scheduler.kubeconfig" \
    --authentication-kubeconfig="$state/scheduler.kubeconfig" --authorization-kubeconfig="$state/scheduler.kubeconfig" \
    --bind-address=127.0.0.1 --kube-api-qps=200 --kube-api-burst=400 --leader-elect=false --profiling=false
}

proxy_config() { # proxy_config FILE, of a node or of the host. Written once: a running kube-proxy exits when its file changes.
  [ ! -s "$1" ] || return 0
  cat >"$1" <<Y
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clientConnection: {kubeconfig: $state/proxy.kubeconfig}
clusterCIDR: $pod_net.0.0/16
detectLocalMode: ClusterCIDR
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s} # the table's size belongs to the initial namespace
nftables: {minSyncPeriod: 100ms}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
Y
}

start_addons() {
  proxy_config "$state/kube-proxy.yaml"
  # The host is no Node, but kube-proxy waits 30 s for one of its name: it borrows the first.
  daemon kube-proxy "$bin/kube-proxy" --config="$state/kube-proxy.yaml" --hostname-override="${prefix}1"
  # Names outside the cluster do not exist, at once. The plugin template runs before kubernetes,
  # whatever the order in the file, so it needs a server block of its own.
  cat >"$state/Corefile" <<Y
cluster.local:53 in-addr.arpa:53 ip6.arpa:53 {
  bind $host_ip
  errors
  ready 127.0.0.1:8181
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig $state/dns.kubeconfig
    pods insecure
    ttl 1
  }
  cache 1
}
.:53 {
  bind $host_ip
  template ANY ANY . {
    rcode NXDOMAIN
  }
}
Y
  daemon coredns "$bin/coredns" -conf "$state/Corefile"
  daemon volume-provisioner "$bin/volume-provisioner" -kubeconfig "$kubeconfig" -root "$state/nodes"
  # It panics unless the resolution is above the timeout.
  daemon metrics-server "$bin/metrics-server" --kubeconfig="$state/metrics.kubeconfig" \
    --authentication-kubeconfig="$state/metrics.kubeconfig" --authorization-kubeconfig="$state/metrics.kubeconfig" \
    --bind-address="$host_ip" --secure-port=4443 --metric-resolution=10s --kubelet-request-timeout=5s \
    --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --tls-cert-file="$pki/metrics.crt" --tls-private-key-file="$pki/metrics.key" \
    --requestheader-client-ca-file="$pki/front-ca.crt" --requestheader-allowed-names=front-proxy
  sed -e "s/@HOST_IP@/$host_ip/g" -e "s/@SERVICE_DNS@/$service_dns/g" -e "s/@CA@/$(base64 -w0 <"$pki/ca.crt")/" "$here/addons.yaml" >"$state/addons.yaml"
  wait_for 20 "the API server takes the add-ons" "$log/kube-apiserver.log" kubectl apply --server-side --force-conflicts -f "$state/addons.yaml"
}

stop_control_plane() { # nothing is saved, so nobody needs a graceful end (the API server's would take 20 s)
  local i
  for ((i = ${#control_plane[@]} - 1; i >= 0; i--)); do finish "${control_plane[i]}" KILL; done
}
