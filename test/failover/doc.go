// Package failover lets a shard of real nodes fail over by a real API server, and has the recorder's judge say what they did with what
// they had acknowledged.
//
//	node process ──► proxy ──► kube-apiserver, etcd        pods, Role and EndpointSlice are objects that the test makes
//	node process ──►   │
//	node process ──►   └ cut: the API is down              writers go where the EndpointSlice says, as through a Service
//
// There is no kubelet and no kube-proxy: the test starts and kills the processes, and says in the pods' status what a kubelet would.
// The tests need the build tag integration and, in KUBEBUILDER_ASSETS, the folder of kube-apiserver and etcd. They print a table of
// what they measured.
package failover
