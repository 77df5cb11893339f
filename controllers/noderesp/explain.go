package noderesp

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// Explain says in a few words why a node did not answer. The words are the same each time for the same cause, without
// the port numbers and addresses that differ, so that they can stand in a status that is written only when it changes.
func Explain(err error) string {
	var (
		refusal *Refusal
		errno   syscall.Errno
		network net.Error
	)
	switch {
	case errors.As(err, &refusal):
		return refusal.Reply
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &network) && network.Timeout():
		return "no answer within " + Timeout.String()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return "connection closed"
	}
	return "no connection"
}
