//go:build integration

package controllers

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/redcon"

	"zset.dev/operator/controllers/noderesp"
)

// fakeNode answers the operator as a node of a shard does, and says what a test tells it to.
type fakeNode struct {
	address string

	mu     sync.Mutex
	config map[string]string                // guarded by mu
	said   noderesp.Shard                   // guarded by mu
	mute   bool                             // it answers nothing; guarded by mu
	writes int64                            // its offset grows by so much each time it is asked; guarded by mu
	asked  []string                         // hand-overs it was asked for, as the host; guarded by mu
	answer func(host string) (reply string) // to a hand-over; guarded by mu
}

// newFakeNode listens until the test ends.
func newFakeNode(t *testing.T) *fakeNode {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &fakeNode{address: listener.Addr().String(), config: map[string]string{}}
	server := redcon.NewServer(n.address, n.serve, nil, nil)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		listener.Close()
		<-ended
	})
	return n
}

func (n *fakeNode) serve(c redcon.Conn, command redcon.Command) {
	n.mu.Lock()
	defer n.mu.Unlock()
	words := make([]string, len(command.Args))
	for i, a := range command.Args {
		words[i] = string(a)
	}
	switch name := strings.ToUpper(words[0]); {
	case n.mute:
	case name == "PING":
		c.WriteString("PONG")
	case name == "HELLO":
		c.WriteError("NOPROTO unsupported protocol version")
	case name == "CONFIG" && strings.EqualFold(words[1], "GET"):
		var reply []string
		for _, w := range words[2:] {
			if value, ok := n.config[w]; ok {
				reply = append(reply, w, value)
			}
		}
		c.WriteArray(len(reply))
		for _, r := range reply {
			c.WriteBulkString(r)
		}
	case name == "CONFIG":
		for i := 2; i+1 < len(words); i += 2 {
			n.config[words[i]] = words[i+1]
		}
		c.WriteString("OK")
	case name == "INFO":
		n.said.Offset += n.writes
		c.WriteBulkString(n.info())
	case name == "FAILOVER":
		n.asked = append(n.asked, words[2])
		if reply := n.answer(words[2]); reply != "" {
			c.WriteError(reply)
			return
		}
		c.WriteString("OK")
	default:
		c.WriteString("OK") // CLIENT SETNAME
	}
}

// info is what it says of itself. The caller holds mu.
func (n *fakeNode) info() string {
	flag := map[bool]int{true: 1}
	return fmt.Sprintf("# Shard\r\nshard:%s\r\nshard_identity:%s\r\nshard_role:%s\r\nshard_epoch:%d\r\nshard_holder:%s\r\nshard_fenced:%d\r\n"+
		"shard_waits:%s\r\nshard_in_sync:%d\r\nshard_position_epoch:%d\r\nshard_offset:%d\r\nshard_handover:%s\r\n",
		n.said.Name, n.said.Identity, n.said.Role, n.said.Epoch, n.said.Holder, flag[n.said.Fenced], n.said.Waits, flag[n.said.InSync],
		n.said.PositionEpoch, n.said.Offset, n.said.Handover)
}

// change changes what it says.
func (n *fakeNode) change(f func(n *fakeNode)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(n)
}

// handovers are the hosts it was asked to hand over to.
func (n *fakeNode) handovers() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.asked...)
}
