# shellcheck shell=bash
# shellcheck disable=SC2154  # names of base.sh
# pki.sh: certificates and kubeconfigs. One authority for clients and servers, one for the
# aggregator (metrics-server trusts whom the latter vouches for, and only them).

authority() { # authority NAME
  [ -s "$pki/$1.crt" ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
    -subj "/CN=$1" -keyout "$pki/$1.key" -out "$pki/$1.crt" 2>/dev/null
}

certificate() { # certificate NAME AUTHORITY SUBJECT [ALTERNATIVE-NAMES]
  local ext=$pki/$1.ext
  [ ! -s "$pki/$1.crt" ] || return 0
  echo "extendedKeyUsage=clientAuth,serverAuth" >"$ext"
  [ -z "${4:-}" ] || echo "subjectAltName=$4" >>"$ext"
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$3" -keyout "$pki/$1.key" 2>/dev/null |
    openssl x509 -req -CA "$pki/$2.crt" -CAkey "$pki/$2.key" -CAcreateserial -days 3650 -extfile "$ext" -out "$pki/$1.part" 2>/dev/null
  mv "$pki/$1.part" "$pki/$1.crt"
  rm -f "$ext"
}

client_config() { # client_config FILE CERTIFICATE: a kubeconfig
  [ ! -s "$1" ] || return 0
  (
    umask 077
    cat >"$1" <<Y
apiVersion: v1
kind: Config
clusters: [{name: zset, cluster: {server: "https://$host_ip:6443", certificate-authority-data: $(base64 -w0 <"$pki/ca.crt")}}]
users: [{name: $2, user: {client-certificate-data: $(base64 -w0 <"$pki/$2.crt"), client-key-data: $(base64 -w0 <"$pki/$2.key")}}]
contexts: [{name: zset-local, context: {cluster: zset, user: $2}}]
current-context: zset-local
Y
  )
}

node_certificate() { # node_certificate N
  certificate "$prefix$1" ca "/O=system:nodes/CN=system:node:$prefix$1" "DNS:$prefix$1,IP:$node_net.$((10 + $1))"
}

make_pki() {
  authority ca
  authority front-ca
  certificate apiserver ca /CN=kube-apiserver "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:$host_ip,IP:$service_api"
  certificate apiserver-kubelet ca /O=system:masters/CN=apiserver-kubelet-client
  certificate front front-ca /CN=front-proxy
  certificate admin ca /O=system:masters/CN=admin
  certificate controllers ca /CN=system:kube-controller-manager
  certificate scheduler ca /CN=system:kube-scheduler
  certificate proxy ca /CN=system:kube-proxy
  certificate dns ca /CN=coredns
  certificate metrics ca /CN=metrics-server "DNS:metrics-server.kube-system.svc,IP:$host_ip"
  if [ ! -s "$pki/accounts.pub" ]; then   # signs service account tokens
    openssl ecparam -name prime256v1 -genkey -noout -out "$pki/accounts.key"
    openssl ec -in "$pki/accounts.key" -pubout -out "$pki/accounts.pub" 2>/dev/null
  fi
  local user
  for user in admin controllers scheduler proxy dns metrics; do client_config "$state/$user.kubeconfig" $user; done
}
