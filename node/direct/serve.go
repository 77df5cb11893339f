package direct

import (
	"errors"
	"net"
)

// A Reader takes what a connection receives.
type Reader interface {
	// Space is where to read to; it is never empty.
	Space() []byte
	// Received is told that n bytes were read there, or of an error, or of both. It reports whether to go on.
	Received(n int, err error) bool
}

// Serve reads until the reader has enough, on the goroutine of the caller, who reads nothing else meanwhile. An error does not
// end it: the reader decides, io.EOF and deadlines included. Only the caller's goroutine, or one that it lets write in its place, may write.
//
// Close, from anywhere, ends the connection both ways at once, and waits for nobody; the socket itself is closed
// when Serve returns.
func Serve(socket net.Conn, r Reader) {
	if serve(socket, r) {
		return
	}
	for {
		n, err := socket.Read(r.Space())
		if !r.Received(n, err) || errors.Is(err, net.ErrClosed) {
			return
		}
	}
}
