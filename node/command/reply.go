package command

// replies is whether a client wants its replies, by CLIENT REPLY.
type replies struct {
	off      bool
	skip     bool // not the reply of this command
	skipNext bool // nor of the next
	loud     bool // what this command writes are messages, which are always sent
}

// hush takes back what the command wrote from start on, when the client does
// not want it. It is called after each command.
func (c *Call) hush(start int) {
	r := &c.replies
	if (r.off || r.skip) && !r.loud {
		c.W.Truncate(start)
	}
	r.skip, r.skipNext, r.loud = r.skipNext, false, false
}

func clientReply(c *Call) {
	switch {
	case is(c.Args[2], "ON"):
		c.replies = replies{}
		c.ok()
	case is(c.Args[2], "OFF"):
		c.replies.off = true
	case is(c.Args[2], "SKIP"):
		c.replies.skipNext = !c.replies.off
	default:
		c.W.Error(errSyntax)
	}
}
