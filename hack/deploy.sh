#!/bin/bash
# deploy.sh: install the CRD and the operator into the cluster of KUBECONFIG, with the images of this checkout.
#
#   hack/deploy.sh [up]     install or update, and wait until the operator runs
#   hack/deploy.sh down     remove the operator, its CRD and so every ZSetCluster
#
# OPERATOR_IMAGE and NODE_IMAGE name the images; unset, those that hack/images.sh built last.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
overlay=$root/.run/deploy

case ${1:-up} in
  up) ;;
  down)
    kubectl delete --ignore-not-found --wait -k "$root/config/default"
    exit 0 ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

if [ -z "${OPERATOR_IMAGE:-}" ] || [ -z "${NODE_IMAGE:-}" ]; then
  [ -s "$root/.run/images.env" ] || { echo "deploy.sh: no images: run 'make images', or set OPERATOR_IMAGE and NODE_IMAGE" >&2; exit 1; }
  # shellcheck source=/dev/null
  . "$root/.run/images.env"
fi

mkdir -p "$overlay"
cat >"$overlay/kustomization.yaml" <<Y
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../../config/default]
images:
- {name: zset.dev/operator, newName: "${OPERATOR_IMAGE%:*}", newTag: "${OPERATOR_IMAGE##*:}"}
patches:
- target: {kind: Deployment, name: zset-operator}
  patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: zset-operator}
    spec: {template: {spec: {containers: [{name: manager, env: [{name: NODE_IMAGE, value: "$NODE_IMAGE"}]}]}}}
Y
echo "deploying $OPERATOR_IMAGE, which runs $NODE_IMAGE"
kubectl apply --server-side --force-conflicts -k "$overlay" | sed 's/^/  /'
kubectl wait --for=condition=Established --timeout=30s crd/zsetclusters.cache.zset.dev >/dev/null
kubectl rollout status -n zset-system deployment/zset-operator --timeout=180s
