//go:build linux

package load

import (
	"fmt"
	"net"
	"time"
)

// Bulk is a connection for what is not measured. Commands are sent in chunks; the next chunk goes out before the replies to the last
// are read, so the server always has work.
type Bulk struct {
	conn    net.Conn
	in, out []byte
	have    int
	replies replies
	random  *Random
	queued  int // commands in out
	awaited int // replies to what was sent
}

const chunk = 64 << 10

// DialBulk opens a connection.
func DialBulk(address string, seed uint64) (*Bulk, error) {
	c, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return nil, err
	}
	return &Bulk{conn: c, in: make([]byte, replyBuffer), random: NewRandom(seed)}, nil
}

// Close closes the connection.
func (b *Bulk) Close() { _ = b.conn.Close() } // nothing is lost with it

// Send queues a command on a set and a member, and sends when there is a chunk.
func (b *Bulk) Send(t *Template, set, member int) error {
	at := len(b.out)
	b.out = append(b.out, t.text...)
	t.fill(b.out[at:], set, member, b.random)
	b.queued++
	if len(b.out) < chunk {
		return nil
	}
	return b.flush()
}

func (b *Bulk) flush() error {
	before := b.awaited
	if err := b.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := b.conn.Write(b.out); err != nil {
		return err
	}
	b.awaited += b.queued
	b.out, b.queued = b.out[:0], 0
	return b.receive(before)
}

// receive reads n of the replies that are awaited, and those that come with them.
func (b *Bulk) receive(n int) error {
	for left := b.awaited - n; b.awaited > left; {
		if b.have == len(b.in) {
			return fmt.Errorf("a reply of more than %d bytes", len(b.in))
		}
		read, err := b.conn.Read(b.in[b.have:])
		if err != nil {
			return err
		}
		b.have += read
		used, complete, err := b.replies.count(b.in[:b.have])
		if err != nil {
			return err
		}
		b.have = copy(b.in, b.in[used:b.have])
		b.awaited -= complete
	}
	return nil
}

// Finish sends what is queued, waits for all replies and gives the tally since the last Finish.
func (b *Bulk) Finish() (Tally, error) {
	if err := b.flush(); err != nil {
		return Tally{}, err
	}
	if err := b.receive(b.awaited); err != nil {
		return Tally{}, err
	}
	t := b.replies.Tally
	b.replies = replies{}
	return t, nil
}

// Ask sends one command and gives its reply as it came, with nothing else under way.
func (b *Bulk) Ask(args ...string) (string, error) {
	var all []Arg
	for _, a := range args {
		all = append(all, Text(a))
	}
	t := Command(all...)
	if err := b.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if _, err := b.conn.Write(t.text); err != nil {
		return "", err
	}
	var one replies
	for have := 0; have < len(b.in); {
		n, err := b.conn.Read(b.in[have:])
		if err != nil {
			return "", err
		}
		have += n
		one = replies{}
		_, complete, err := one.count(b.in[:have])
		if err != nil {
			return "", err
		}
		if complete > 0 {
			return string(b.in[:have]), nil
		}
	}
	return "", fmt.Errorf("a reply of more than %d bytes", len(b.in))
}
