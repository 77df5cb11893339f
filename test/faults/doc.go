// Package faults causes faults, for real, to servers under load, and has the recorder's judge say what they did with what they had
// acknowledged: killed processes, full and read-only disks, power cuts, lossy, slow and cut links, replicas that are
// too slow.
//
//	make test-faults                 a few of each, some minutes
//	make test-faults LONG=1          as many as the project promises; writes docs/faults.md
//	test/faults/run.sh --system valkey -run Kill    another server, to see that a fault is caused and found
//
// The package has what other programs use too: servers as processes (server.go) and the promotion of a replica
// whose primary was killed (promote.go). The tests need the build tag faults and the environment of run.sh. Every
// random choice follows from a seed, which is printed. Linux only; what needs root is skipped without.
package faults
