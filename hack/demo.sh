#!/bin/bash
# demo.sh: apply config/samples to the cluster of KUBECONFIG, wait until Ready, play a short leaderboard session through
# the Service from a pod inside the cluster, and say how to go on. `make run` calls it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=/dev/null
[ -n "${RESPCLI_IMAGE:-}" ] || . "$root/.run/images.env"
name=leaderboard timeout=180
namespace=$(kubectl config view --minify -o jsonpath={..namespace}); namespace=${namespace:-default}

kubectl apply -f "$root/config/samples/leaderboard.yaml"
start=$SECONDS last=""
while :; do
  now=$(kubectl get zsetcluster "$name" -o jsonpath='{range .status.conditions[?(@.type=="Ready")]}{.status} {.reason}: {.message}{end}' 2>/dev/null || true)
  [ "$now" = "$last" ] || printf '[%3ds] %s: Ready=%s\n' $((SECONDS - start)) "$name" "${now:-unknown, the operator has not looked yet}"
  last=$now
  case $now in True*) break ;; esac
  if [ $((SECONDS - start)) -ge $timeout ]; then
    kubectl describe zsetcluster "$name"
    echo "demo.sh: $name is not Ready after $timeout s; its conditions and events are above" >&2
    exit 1
  fi
  sleep 1
done

echo; echo "A leaderboard session, from a pod inside the cluster:"
kubectl delete pod zset-demo --ignore-not-found --wait >/dev/null
kubectl run zset-demo --quiet --image="$RESPCLI_IMAGE" --image-pull-policy=IfNotPresent --restart=Never --command -- /respcli -wait >/dev/null
trap 'kubectl delete pod zset-demo --wait=false >/dev/null' EXIT
kubectl wait --for=condition=Ready pod/zset-demo --timeout=60s >/dev/null
kubectl exec -i zset-demo -- /respcli -echo -addr "$name:6379" <<'R'
DEL players
ZADD players 4200 ada 3150 grace 2875.5 edsger
ZINCRBY players 1200 grace
ZADD players GT CH 2000 edsger 5000 barbara
ZRANGE players 0 2 REV WITHSCORES
ZREVRANK players grace
ZCOUNT players 3000 +inf
OBJECT ENCODING players
CONFIG GET zset-skiplist-p
R
echo
kubectl get zsetclusters
cat <<T

How to go on:
  eval "\$(hack/cluster.sh)"        # kubectl and KUBECONFIG for this shell
  kubectl port-forward service/$name 6379:6379
                                  # and elsewhere: redis-cli ZRANGE players 0 -1 REV WITHSCORES
  kubectl patch zsetcluster $name --type=merge -p '{"spec":{"engine":{"skipList":{"p":"0.5"}}}}'
                                  # live: kubectl get zsc $name -o yaml shows ConfigApplied
  make down                       # remove the local Kubernetes
Clients inside the cluster connect to $name.$namespace.svc:6379.
T
