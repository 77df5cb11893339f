// Package reliability breaks things under a ZSetCluster on the local Kubernetes, while clients write to it and read from it, and judges
// what became of what was acknowledged. run.sh runs it; docs/reliability.md has its table.
//
// For each row of the table there is a fault: it is caused for real (processes killed and stopped, machines cut off and switched off, objects
// deleted), once in asynchronous mode, where what was lost is a number, and once with minSyncReplicas: 1, where it must be 0.
//
// Clients are processes on the machine, which reach the cluster's Services as pods do. Some write through go-redis, each
// write once, and remember what was answered (package recorder). Others, through rueidis, try each command a second time when it failed, as
// a well-made application does: what fails twice is a client's error.
package reliability
