// Package load drives a server of the Redis protocol from one thread: requests are templates whose numbers are written anew for each
// command, sockets are raw and polled, and replies are counted, not decoded. So it costs far less per command than the
// server does, which is what a generator must if a server is to be measured and not it.
//
// Closed keeps every connection busy with one batch after another; Open sends at fixed times whatever the server does, so
// a server that pauses is seen by all who would have come meanwhile. Bulk is for what is not measured: loading, refilling, asking.
//
// Nothing here is safe for concurrent use but by one goroutine for each Conns and each Bulk. Linux only. Only hack/bench/node may
// use it, and hack/bench/repl.
package load
