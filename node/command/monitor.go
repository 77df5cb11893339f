package command

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/client"
)

var monitorSpecs = []Spec{{
	Name: "monitor", Arity: 1, Flags: Admin | whileWaiting,
	Group: "server", Since: "1.0.0", Complexity: "O(1)",
	Summary: "Shows the commands that all clients run.",
	Run: func(c *Call) {
		if c.Nested {
			c.W.Error("ERR MONITOR isn't allowed for DENY BLOCKING client")
			return
		}
		c.ok()
		c.Env.Monitors.add(c.Client)
	},
}}

// Monitors is the clients that look on. It may be used from any goroutine.
type Monitors struct {
	count atomic.Int64

	mu      sync.Mutex
	clients map[*client.Client]bool // guarded by mu
}

func (m *Monitors) add(c *client.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.clients == nil {
		m.clients = map[*client.Client]bool{}
	}
	if !m.clients[c] {
		m.clients[c] = true
		m.count.Add(1)
		c.Enter(client.Monitoring)
	}
}

func (m *Monitors) remove(c *client.Client) {
	if !c.Is(client.Monitoring) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.clients, c)
	m.count.Add(-1)
	c.Exit(client.Monitoring)
}

// Any reports whether anybody looks on.
func (m *Monitors) Any() bool { return m.count.Load() != 0 }

// show pushes a line to all.
func (m *Monitors) show(line []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.clients {
		c.Push(line)
	}
}

// monitored shows the running command. Secrets, and commands of those who run
// the server, are not shown.
func (c *Call) monitored(spec *Spec) {
	if spec.Flags&Admin == 0 {
		c.Env.Monitors.show(monitorLine(c.At, c.Client.Addr, spec, c.Args))
	}
}

// monitorLine is a line of MONITOR, a simple string.
func monitorLine(at time.Time, from string, spec *Spec, args [][]byte) []byte {
	line := fmt.Appendf(nil, "+%d.%06d [0 %s]", at.Unix(), at.Nanosecond()/1000, from)
	for i := range args {
		line = append(line, ' ')
		line = appendQuoted(line, visible(spec, args, i))
	}
	return append(line, '\r', '\n')
}

// appendQuoted writes a word in quotes, as it could be typed at a prompt.
func appendQuoted(to, word []byte) []byte {
	to = append(to, '"')
	for _, b := range word {
		switch b {
		case '\\', '"':
			to = append(to, '\\', b)
		case '\n':
			to = append(to, '\\', 'n')
		case '\r':
			to = append(to, '\\', 'r')
		case '\t':
			to = append(to, '\\', 't')
		case '\a':
			to = append(to, '\\', 'a')
		case '\b':
			to = append(to, '\\', 'b')
		default:
			if b < ' ' || b > '~' {
				to = fmt.Appendf(to, `\x%02x`, b)
			} else {
				to = append(to, b)
			}
		}
	}
	return append(to, '"')
}
