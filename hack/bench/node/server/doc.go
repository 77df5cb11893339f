// Package server runs the servers that are measured: each a process of its own in a folder of its own, kept on the CPUs that it may
// use, stopped for as long as another has its turn, and gone at the end, however that comes. Linux only. Only hack/bench/node may use it.
package server
