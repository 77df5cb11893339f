package replica

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/zset"
)

// recorder is a sink that writes down what it gets.
type recorder struct {
	lines  []string
	refuse string // what it refuses
	done   func(line string)
}

func (r *recorder) line(line string) error {
	r.lines = append(r.lines, line)
	if r.refuse != "" && strings.Contains(line, r.refuse) {
		return errors.New("refused")
	}
	if r.done != nil {
		r.done(line)
	}
	return nil
}

func (r *recorder) Full(at Position, file *rdb.Decoder) error {
	if err := r.line(fmt.Sprintf("full %s %d", at.ID, at.Offset)); err != nil {
		return err
	}
	for {
		rec, err := file.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch rec.Kind {
		case rdb.Key:
			err = r.line(fmt.Sprintf("key %s %d", rec.Name, zset.PackedLen(rec.Packed)))
		case rdb.OtherKey:
			err = r.line(fmt.Sprintf("%s %s", rec.Type, rec.Name))
		}
		if err != nil {
			return err
		}
	}
}

func (r *recorder) Met(answer string) error {
	if answer == "" {
		return nil
	}
	return r.line("met " + answer)
}

func (r *recorder) Rest() {}

func (r *recorder) Partial(id string) error { return r.line("partial " + id) }

func (r *recorder) Apply(args [][]byte, raw []byte, end int64) error {
	if !bytes.Equal(raw, replog.Command(strings.Fields(string(bytes.Join(args, []byte(" "))))...)) {
		return fmt.Errorf("%q was handed out as %q", args, raw)
	}
	return r.line(fmt.Sprintf("%s %d", bytes.Join(args, []byte(" ")), end))
}

// primary is the other end of a link, played by a test.
type primary struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// expect reads a command and answers it.
func (p *primary) expect(want, answer string) {
	p.t.Helper()
	for { // signs of life
		if b, err := p.in.Peek(1); err != nil || b[0] != '\n' {
			break
		}
		p.in.Discard(1)
	}
	args, err := replog.NewCommands(io.LimitReader(p.in, int64(len(replog.Command(strings.Fields(want)...)))), 0).Next()
	if got := string(bytes.Join(args, []byte(" "))); err != nil || got != want {
		p.t.Errorf("the replica sent %q (%v), want %q", got, err, want)
	}
	if answer != "" { // even an empty write would wait for another that is under way
		io.WriteString(p.conn, answer)
	}
}

// play runs a link against a script and returns why it ended.
func play(t *testing.T, o Options, from Position, sink Sink, script func(*primary)) error {
	t.Helper()
	ours, theirs := net.Pipe()
	o.Dial = func(context.Context) (net.Conn, error) { return ours, nil }
	o.NewSet = func() *zset.Set { return zset.New(nil) }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer theirs.Close()
		theirs.SetDeadline(time.Now().Add(5 * time.Second))
		script(&primary{t, theirs, bufio.NewReader(theirs)})
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := New(o, sink).Follow(ctx, from)
	<-ended
	return err
}

// file is one with a key.
func file() string {
	var b bytes.Buffer
	e := rdb.NewEncoder(&b)
	e.Begin([]byte("board"), rdb.Meta{Idle: -1, Frequency: -1}, 2)
	e.Member([]byte("a"), 1)
	e.Member([]byte("b"), 2)
	if err := e.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func greet(p *primary) {
	p.expect("PING", "+PONG\r\n")
	p.expect("REPLCONF capa eof capa psync2", "+OK\r\n")
}

func TestFullSynchronisation(t *testing.T) {
	mark := strings.Repeat("0123456789", 4)
	stream := string(replog.Command("SELECT", "0")) + string(replog.Command("ZADD", "board", "3", "c"))
	want := []string{"full history 101", "key board 2", "SELECT 0 124", "ZADD board 3 c 163", "REPLCONF GETACK * 200"}
	for name, transfer := range map[string]string{
		"with a length": fmt.Sprintf("\n\n$%d\r\n%s%s", len(file()), file(), stream),
		"with a mark":   "\n$EOF:" + mark + "\r\n" + file() + mark + stream,
	} {
		t.Run(name, func(t *testing.T) {
			sink := &recorder{}
			o := Options{User: "replica", Password: "secret", Port: 6379, Host: "node-0.example"}
			err := play(t, o, Position{}, sink, func(p *primary) {
				p.expect("PING", "-NOAUTH Authentication required.\r\n")
				p.expect("AUTH replica secret", "+OK\r\n")
				p.expect("REPLCONF listening-port 6379", "+OK\r\n")
				p.expect("REPLCONF ip-address node-0.example", "+OK\r\n")
				p.expect("REPLCONF capa eof capa psync2", "+OK\r\n")
				go io.WriteString(p.conn, "+FULLRESYNC history 100\r\n"+transfer)
				p.expect("PSYNC ? -1", "")
				p.expect("REPLCONF ACK 100", string(replog.Command("REPLCONF", "GETACK", "*")))
				p.expect("REPLCONF ACK 199", "")
			})
			if err == nil || !strings.Contains(err.Error(), "streaming: the primary closed the connection") {
				t.Errorf("it ended with %v", err)
			}
			if !slices.Equal(sink.lines, want) {
				t.Errorf("got %q\nwant %q", sink.lines, want)
			}
		})
	}
}

// What a primary answers to a question of our own goes to the sink as it is; a foreign one refuses, which matters to nobody.
func TestQuestion(t *testing.T) {
	for answer, want := range map[string]string{"+zset epoch=1\r\n": "met zset epoch=1", "-ERR Unrecognized REPLCONF option: zset-epoch\r\n": "met -ERR Unrecognized REPLCONF option: zset-epoch"} {
		sink := &recorder{}
		play(t, Options{Ask: []string{"zset-epoch", "1", "run-id", "r"}}, Position{ID: "old", Offset: 50}, sink, func(p *primary) {
			greet(p)
			p.expect("REPLCONF zset-epoch 1 run-id r", answer)
			p.expect("PSYNC old 50", "+CONTINUE\r\n")
			p.expect("REPLCONF ACK 49", "")
		})
		if want := []string{want, "partial old"}; !slices.Equal(sink.lines, want) {
			t.Errorf("got %q, want %q", sink.lines, want)
		}
	}
}

func TestFailoverHandshake(t *testing.T) {
	err := play(t, Options{Failover: true}, Position{ID: "old", Offset: 50}, &recorder{}, func(p *primary) {
		greet(p)
		p.expect("PSYNC old 50 FAILOVER", "-ERR PSYNC FAILOVER replid must match my replid.\r\n")
	})
	if !errors.Is(err, ErrFailover) || !strings.Contains(err.Error(), "must match my replid") {
		t.Error(err)
	}
}

// A replica that keeps a file on disk says how far that goes.
func TestAcknowledgesTheDisk(t *testing.T) {
	play(t, Options{Synced: func() int64 { return 21 }}, Position{ID: "old", Offset: 50}, &recorder{}, func(p *primary) {
		greet(p)
		p.expect("PSYNC old 50", "+CONTINUE\r\n")
		p.expect("REPLCONF ACK 49 FACK 20", "")
	})
}

// Once it was asked it acknowledges what it has applied without being asked, and nothing before.
func TestAcknowledgesPromptlyOnceAsked(t *testing.T) {
	del, ask := string(replog.Command("DEL", "x")), string(replog.Command("REPLCONF", "GETACK", "*"))
	play(t, Options{AckEvery: time.Hour}, Position{ID: "old", Offset: 50}, &recorder{}, func(p *primary) {
		greet(p)
		p.expect("PSYNC old 50", "+CONTINUE\r\n")
		p.expect("REPLCONF ACK 49", del+ask)
		p.expect(fmt.Sprint("REPLCONF ACK ", 49+len(del)+len(ask)), del+del)
		p.expect(fmt.Sprint("REPLCONF ACK ", 49+3*len(del)+len(ask)), "")
	})
}

func TestPartialResynchronisation(t *testing.T) {
	for answer, id := range map[string]string{"+CONTINUE\r\n": "old", "+CONTINUE new\r\n": "new"} {
		sink := &recorder{}
		play(t, Options{}, Position{ID: "old", Offset: 50}, sink, func(p *primary) {
			greet(p)
			p.expect("PSYNC old 50", answer)
			p.expect("REPLCONF ACK 49", string(replog.Command("DEL", "x")))
		})
		if want := []string{"partial " + id, "DEL x 70"}; !slices.Equal(sink.lines, want) {
			t.Errorf("%q: got %q, want %q", answer, sink.lines, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	mark := strings.Repeat("x", markBytes)
	tests := []struct {
		name   string
		script func(*primary)
		refuse string
		says   string
	}{
		{"of the greeting", func(p *primary) { p.expect("PING", "-NOPERM no\r\n") }, "", "handshake: NOPERM no"},
		{"of a server that is none", func(p *primary) { p.expect("PING", "HTTP/1.1 400\r\n") }, "", `answered "HTTP/1.1 400"`},
		{"of PSYNC", func(p *primary) { greet(p); p.expect("PSYNC ? -1", "-NOMASTERLINK Can't SYNC\r\n") }, "", "NOMASTERLINK"},
		{"to continue what there is not", func(p *primary) { greet(p); p.expect("PSYNC ? -1", "+CONTINUE\r\n") }, "", `answered "CONTINUE"`},
		{"a bad announcement", func(p *primary) { greet(p); p.expect("PSYNC ? -1", "+FULLRESYNC i 1\r\n$-1\r\n") }, "", `announced as "$-1"`},
		{"a file that is none", func(p *primary) { greet(p); p.expect("PSYNC ? -1", "+FULLRESYNC i 1\r\n$9\r\nNOTAFILE!") }, "", "does not begin as an RDB file"},
		{"a file too short", func(p *primary) {
			greet(p)
			p.expect("PSYNC ? -1", fmt.Sprintf("+FULLRESYNC i 1\r\n$%d\r\n%s..", len(file())+2, file()))
		}, "", "ended 2 bytes before"},
		{"the wrong mark", func(p *primary) {
			greet(p)
			p.expect("PSYNC ? -1", "+FULLRESYNC i 1\r\n$EOF:"+mark+"\r\n"+file()+strings.Repeat("y", markBytes))
		}, "", "did not end with its mark"},
		{"a cut transfer", func(p *primary) {
			greet(p)
			p.expect("PSYNC ? -1", "+FULLRESYNC i 1\r\n$EOF:"+mark+"\r\n"+file()[:20])
		}, "", "transfer: rdb: at byte"},
		{"by the sink, of a key", func(p *primary) {
			greet(p)
			p.expect("PSYNC ? -1", fmt.Sprintf("+FULLRESYNC i 1\r\n$%d\r\n%s", len(file()), file()))
		}, "key board", "transfer: refused"},
		{"by the sink, of a command", func(p *primary) {
			greet(p)
			p.expect("PSYNC ? -1", fmt.Sprintf("+FULLRESYNC i 1\r\n$%d\r\n%s", len(file()), file()))
			p.expect("REPLCONF ACK 1", string(replog.Command("SET", "a", "b")))
		}, "SET", "streaming: refused"},
		{"of what is no command", func(p *primary) {
			greet(p)
			p.expect("PSYNC ? -1", fmt.Sprintf("+FULLRESYNC i 1\r\n$%d\r\n%s", len(file()), file()))
			p.expect("REPLCONF ACK 1", "garbage\r\n")
		}, "", "no command at byte 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := play(t, Options{}, Position{}, &recorder{refuse: tt.refuse}, tt.script)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it ended with %v, want %q", err, tt.says)
			}
		})
	}
}

func TestSilentPrimary(t *testing.T) {
	err := play(t, Options{Timeout: 20 * time.Millisecond}, Position{}, &recorder{}, func(p *primary) {
		greet(p)
		io.Copy(io.Discard, p.in)
	})
	if err == nil || !strings.Contains(err.Error(), "silent for 20ms") {
		t.Errorf("it ended with %v", err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	ctx, cancel := context.WithCancel(context.Background())
	l := New(Options{Dial: func(context.Context) (net.Conn, error) { cancel(); return ours, nil }}, &recorder{})
	if err := l.Follow(ctx, Position{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
