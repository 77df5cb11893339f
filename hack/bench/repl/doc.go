// Repl measures replication and persistence beside the newest Redis and Valkey: full syncs under load, restarts, and what replicas
// and the append-only file cost writers.
//
//	go run ./repl -out ../../docs/bench            everything; a quarter of an hour
//	go run ./repl -short                           a minute, at a small scale, prints tables only
//	go run ./repl -parts restart -servers node     one part of one server
//
// Servers are measured one after the other, each alone on the machine with the client. Bars close the output; they inform and do
// not decide the exit status. Linux only.
package main
