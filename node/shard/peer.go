package shard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/redcon"

	"zset.dev/operator/node/lease"
	"zset.dev/operator/node/replog"
)

// peer asks one other pod of the shard how it is, again and again, over one connection. Its goroutine owns what is not guarded.
type peer struct {
	pod    string
	member *Member
	stop   context.CancelFunc
	wake   chan struct{} // has a token when there is something to ask for

	conn net.Conn

	mu      sync.Mutex
	last    Status        // guarded by mu; what it last said
	heard   time.Duration // when that was asked for; never before it said anything
	promise *promise      // to ask for; guarded by mu
	news    bool          // to tell; guarded by mu
	until   time.Duration // promised; guarded by mu
	by      lease.Identity
}

// promise is one to ask for.
type promise struct {
	holder lease.Identity
	epoch  int64
}

// replyMost is how large an answer of another node may be.
const replyMost = 16 << 10

// run asks until ctx ends.
func (p *peer) run(ctx context.Context) {
	defer p.hangUp()
	every := p.member.options.Timing.Retry / 2
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := p.converse(ctx); err != nil {
			p.hangUp()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.wake:
		}
	}
}

func (p *peer) hangUp() {
	if p.conn != nil {
		p.conn.Close()
		p.conn = nil
	}
}

// converse asks for all there is to ask for.
func (p *peer) converse(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, p.member.options.Timing.Retry)
	defer cancel()
	if p.conn == nil {
		conn, err := p.member.options.Dial(limit, p.pod)
		if err != nil {
			return err
		}
		p.conn = conn
	}
	p.mu.Lock()
	news, promise := p.news, p.promise
	p.news, p.promise = false, nil
	p.mu.Unlock()
	if news {
		if _, err := Ask(limit, p.conn, "SHARD", "NEWS", strconv.FormatInt(p.member.Status().Epoch, 10)); err != nil {
			return err
		}
	}
	if promise != nil {
		asked := p.member.now()
		words, err := Ask(limit, p.conn, "SHARD", "PROMISE", promise.holder.String(), strconv.FormatInt(promise.epoch, 10))
		if err != nil {
			return err
		}
		if len(words) == 2 && words[0] == "promised" {
			if by, err := lease.ParseIdentity(words[1]); err == nil {
				p.mu.Lock()
				p.until, p.by = asked+p.member.options.Timing.Deadline, by
				p.mu.Unlock()
			}
		}
	}
	asked := p.member.now()
	words, err := Ask(limit, p.conn, "SHARD", "STATUS")
	if err != nil {
		return err
	}
	s, err := parseStatus(words)
	if err != nil {
		return err
	}
	if s.Identity.Pod != p.pod {
		return fmt.Errorf("shard: %s answers as %s", p.pod, s.Identity)
	}
	p.mu.Lock()
	changed := p.last.Identity != s.Identity || p.last.Epoch != s.Epoch || p.last.Known != s.Known
	p.last, p.heard = s, asked
	p.mu.Unlock()
	if changed || promise != nil {
		p.member.Look()
	}
	return nil
}

// Ask sends a command and returns the words of its reply, within ctx' deadline. Nothing else may be under way on the
// connection, which is of no more use after an error that is not the reply.
func Ask(ctx context.Context, conn net.Conn, words ...string) ([]string, error) {
	if deadline, ok := ctx.Deadline(); ok {
		conn.SetDeadline(deadline)
	}
	if _, err := conn.Write(replog.Command(words...)); err != nil {
		return nil, err
	}
	buf := make([]byte, 1<<10)
	for end := 0; ; {
		if n, r := redcon.ReadNextRESP(buf[:end]); n > 0 {
			if r.Type == redcon.Error {
				return nil, errors.New(string(r.Data))
			}
			if r.Type != redcon.Array {
				return []string{string(r.Data)}, nil
			}
			var reply []string
			r.ForEach(func(w redcon.RESP) bool {
				reply = append(reply, string(w.Data))
				return true
			})
			return reply, nil
		}
		if end == replyMost {
			return nil, fmt.Errorf("shard: a reply of more than %d bytes", replyMost)
		}
		if end == len(buf) {
			buf = append(buf, make([]byte, end)...)
		}
		n, err := conn.Read(buf[end:])
		if err != nil {
			return nil, err
		}
		end += n
	}
}

// request lets the peer be asked for a promise.
func (p *peer) request(q promise) {
	p.mu.Lock()
	p.promise = &q
	p.mu.Unlock()
	p.nudge()
}

// tell lets the peer know that there is news.
func (p *peer) tell() {
	p.mu.Lock()
	p.news = true
	p.mu.Unlock()
	p.nudge()
}

func (p *peer) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// seen is what is known of it, if it ever said anything.
func (p *peer) seen() (lease.Peer, Status, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.Identity == (lease.Identity{}) {
		return lease.Peer{}, Status{}, false
	}
	q := lease.Peer{ID: p.last.Identity, Heard: p.heard, Position: p.last.Position, Whole: p.last.Whole}
	if p.by == p.last.Identity {
		q.Promised = p.until
	}
	return q, p.last, true
}

// Words are the status, in pairs of name and value.
func (s Status) Words() []string {
	flag := func(b bool) string {
		if b {
			return "1"
		}
		return "0"
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []string{
		"identity", s.Identity.String(), "started", number(s.Started.UnixMilli()), "epoch", number(s.Epoch),
		"position-epoch", number(s.Position.Epoch), "offset", number(s.Position.Offset), "whole", flag(s.Whole),
		"role", s.Role, "serves", flag(s.Serves), "known", flag(s.Known),
	}
}

// parseStatus reads what Words wrote, by this version or another.
func parseStatus(words []string) (s Status, err error) {
	for i := 0; i+1 < len(words); i += 2 {
		value := words[i+1]
		n, _ := strconv.ParseInt(value, 10, 64)
		switch words[i] {
		case "identity":
			s.Identity, err = lease.ParseIdentity(value)
		case "started":
			s.Started = time.UnixMilli(n)
		case "epoch":
			s.Epoch = n
		case "position-epoch":
			s.Position.Epoch = n
		case "offset":
			s.Position.Offset = n
		case "whole":
			s.Whole = value == "1"
		case "role":
			s.Role = value
		case "serves":
			s.Serves = value == "1"
		case "known":
			s.Known = value == "1"
		}
		if err != nil {
			return s, err
		}
	}
	if s.Identity == (lease.Identity{}) {
		return s, fmt.Errorf("shard: %q is not a status", strings.Join(words, " "))
	}
	return s, nil
}
