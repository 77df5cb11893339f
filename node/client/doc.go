// Package client is what the node knows of each connected client, and the
// list of all of them.
//
// A Client belongs to the goroutine that serves its connection: that one
// writes its fields. Other connections may read them (CLIENT LIST, INFO) and
// ask for its end (CLIENT KILL), so what they see is atomic or under the
// client's lock. The package does no I/O; the connection is closed through a
// function given by its owner.
package client
