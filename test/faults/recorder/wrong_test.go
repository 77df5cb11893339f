package recorder

import (
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/redcon"
)

// server is a sorted-set server that can be told to be wrong.
type server struct {
	addr string

	mu     sync.Mutex // guards the rest
	sets   Contents
	writes int                    // so far
	wrong  func(*server, *write)  // changes a write before it is done
	end    func(*server, []write) // changes the writes of an EXEC
}

// write is one that arrived.
type write struct {
	number        int // of all that arrived
	name          string
	key, member   string
	score         float64
	skip          bool   // it is not done
	answer        string // instead of what it should be
	hangUp        bool   // instead of an answer
	inTransaction bool
}

// session is what a connection has queued.
type session struct {
	multi  bool
	queued []write
}

func start(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: l.Addr().String(), sets: Contents{}}
	r := redcon.NewServer(s.addr, s.serve, func(c redcon.Conn) bool { c.SetContext(&session{}); return true }, nil)
	ended := make(chan struct{})
	go func() { _ = r.Serve(l); close(ended) }() // until Close
	t.Cleanup(func() { _ = r.Close(); <-ended })
	return s
}

func (s *server) serve(c redcon.Conn, cmd redcon.Command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := c.Context().(*session)
	words := make([]string, len(cmd.Args))
	for i, a := range cmd.Args {
		words[i] = string(a)
	}
	switch name := strings.ToUpper(words[0]); name {
	case "ZADD", "ZINCRBY", "ZREM":
		w := write{number: s.writes, name: name, key: words[1], member: words[len(words)-1], inTransaction: in.multi}
		s.writes++
		if name != "ZREM" {
			w.score, _ = strconv.ParseFloat(words[2], 64)
		}
		if in.multi {
			in.queued = append(in.queued, w)
			c.WriteString("QUEUED")
			return
		}
		s.do(c, w)
	case "MULTI":
		in.multi = true
		c.WriteString("OK")
	case "EXEC":
		if s.end != nil {
			s.end(s, in.queued)
		}
		c.WriteArray(len(in.queued))
		for _, w := range in.queued {
			s.do(c, w)
		}
		*in = session{}
	case "ZRANGE":
		c.WriteArray(2 * len(s.sets[words[1]]))
		for m, score := range s.sets[words[1]] {
			c.WriteBulkString(m)
			c.WriteBulkString(strconv.FormatFloat(score, 'g', -1, 64))
		}
	default:
		c.WriteError("ERR unknown command '" + words[0] + "'")
	}
}

func (s *server) do(c redcon.Conn, w write) {
	if s.wrong != nil {
		s.wrong(s, &w)
	}
	set := s.sets[w.key]
	if set == nil {
		set = map[string]float64{}
		s.sets[w.key] = set
	}
	before, there := set[w.member]
	if w.name == "ZINCRBY" {
		w.score += before
	}
	if !w.skip {
		if w.name == "ZREM" {
			delete(set, w.member)
		} else {
			set[w.member] = w.score
		}
	}
	switch {
	case w.hangUp:
		_ = c.Close()
	case strings.HasPrefix(w.answer, "-"):
		c.WriteError(w.answer[1:])
	case w.answer != "":
		c.WriteBulkString(w.answer)
	case w.name == "ZINCRBY":
		c.WriteBulkString(strconv.FormatFloat(w.score, 'g', -1, 64))
	case there == (w.name == "ZREM"):
		c.WriteInt(1)
	default:
		c.WriteInt(0)
	}
}

// copied is what the server holds now.
func (s *server) copied() Contents {
	held := Contents{}
	for key, set := range s.sets {
		held[key] = map[string]float64{}
		for m, score := range set {
			held[key][m] = score
		}
	}
	return held
}
