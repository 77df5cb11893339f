// Package direct reads and writes TCP sockets without telling Go's scheduler
// of each system call.
//
// A system call that may block has to be announced, so that others can use the
// processor meanwhile; the monitor that watches over it wakes up all the more
// often the more calls there are. Reads and writes of a socket that does not
// block are over in a few microseconds, whatever happens, so the announcement
// is spared here. Waiting for a socket is left to Go's own poller, with all it
// promises: deadlines, and Close from any goroutine.
//
// Serve goes on reading inside one call of Go's, so that the poller forgets nothing between two reads. A read that has taken
// all there was, as the system says with it (TCP_INQ), is so followed by waiting at once; otherwise each command of a client
// that waits for its reply costs a second read, which finds nothing.
//
// Of the unsafe kind are the addresses of buffers handed to the system, in
// two functions.
package direct
