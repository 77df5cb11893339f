//go:build linux

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestDigits(t *testing.T) {
	for _, c := range []struct {
		n     uint64
		width int
		want  string
	}{{0, 1, "0"}, {7, 3, "007"}, {1234, 4, "1234"}, {98765, 5, "98765"}, {98765, 3, "765"}, {123_456_789_012, 12, "123456789012"}} {
		b := make([]byte, c.width)
		if putDigits(b, c.n); string(b) != c.want {
			t.Errorf("%d in %d digits is %q, want %q", c.n, c.width, b, c.want)
		}
	}
}

func TestRandomIsEvenAndFollowsFromItsSeed(t *testing.T) {
	a, b, counts := NewRandom(1), NewRandom(1), [10]int{}
	for range 100_000 {
		n := a.Below(10)
		if n != b.Below(10) {
			t.Fatal("two sequences of one seed differ")
		}
		counts[n]++
	}
	if slices.Min(counts[:]) < 9500 || slices.Max(counts[:]) > 10500 {
		t.Errorf("of 100,000 numbers below ten there are %v", counts)
	}
}

func TestRequests(t *testing.T) {
	first, last := Ranks(10, 1, 10)
	for _, c := range []struct {
		template    Template
		set, member int
		want        string
	}{
		{Command(Text("PING")), 0, 0, "*1\r\n$4\r\nPING\r\n"},
		{Command(Text("ZRANK"), Key("k", 0), Member("m", 2)), 34, 56, "*3\r\n$5\r\nZRANK\r\n$13\r\nk000000000034\r\n$13\r\nm000000000058\r\n"},
		{Command(Text("ZRANGE"), Key("k", 1), first, last), 0, 0, "*4\r\n$6\r\nZRANGE\r\n$13\r\nk000000000001\r\n$2\r\n10\r\n$2\r\n19\r\n"},
	} {
		b := c.template.repeat(2)
		c.template.fill(b[len(b)/2:], c.set, c.member, NewRandom(1))
		c.template.fill(b[:len(b)/2], c.set, c.member, NewRandom(2))
		if string(b) != c.want+c.want {
			t.Errorf("got %q, want twice %q", b, c.want)
		}
	}
	scored := Command(Text("ZADD"), Key("k", 0), Decimal("-0.", 16), Member("m", 0))
	b, r, seen := scored.repeat(1), NewRandom(1), map[string]bool{}
	for range 100 {
		scored.fill(b, 1, 1, r)
		text := strings.Split(string(b), "\r\n")[6]
		if score, err := strconv.ParseFloat(text, 64); err != nil || len(text) != 19 || score > 0 || score <= -1 || seen[text] {
			t.Fatalf("a score is %q", text)
		}
		seen[text] = true
	}
}

func TestRepliesAreCountedHoweverTheyArrive(t *testing.T) {
	const stream = "+OK\r\n:12\r\n:-2\r\n$3\r\na\r\n\r\n$-1\r\n*2\r\n$1\r\na\r\n:5\r\n*0\r\n*-1\r\n*2\r\n*2\r\n:1\r\n*1\r\n$0\r\n\r\n$-1\r\n$0\r\n\r\n"
	const complete, sum, nulls = 10, 10, 4
	for step := 1; step <= len(stream); step++ {
		var r replies
		var buffer []byte
		got := 0
		for chunk := range slices.Chunk([]byte(stream), step) {
			buffer = append(buffer, chunk...)
			used, n, err := r.count(buffer)
			if err != nil {
				t.Fatal(err)
			}
			buffer = buffer[used:]
			got += n
		}
		if got != complete || r.Sum != sum || r.Nulls != nulls || len(buffer) != 0 || r.open != 0 {
			t.Errorf("in steps of %d: %d replies, %+v, %d bytes left", step, got, r, len(buffer))
		}
	}
	for _, bad := range []string{"-ERR no\r\n", "*2\r\n:1\r\n-ERR no\r\n", "what\r\n", ":1x\r\n"} {
		var r replies
		_, _, err := r.count([]byte(bad))
		if err == nil || strings.Contains(bad, "ERR") != errors.Is(err, ErrReply) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h, other Histogram
	for i := 1; i <= 1000; i++ {
		h.add(time.Duration(i)*time.Microsecond, 2)
	}
	other.add(time.Hour, 1)
	for _, c := range []struct{ q, want float64 }{{0, 1}, {0.5, 500}, {0.99, 990}, {0.999, 999}} {
		got := float64(h.Quantile(c.q)) / 1000
		if got < c.want || got > c.want*(1+1.0/64)+1 {
			t.Errorf("quantile %v is %v µs, want %v and at most 1/64 more", c.q, got, c.want)
		}
	}
	if h.Merge(&other); h.Total() != 2001 || h.Quantile(1) < time.Hour {
		t.Errorf("merged: %d, greatest %v", h.Total(), h.Quantile(1))
	}
	for d := time.Duration(1); d < time.Hour; d = d*3/2 + 1 {
		if up := upper(bucket(uint64(d))); up < d || up > d+d/64 {
			t.Errorf("%v is in a bucket up to %v", d, up)
		}
	}
}

// echo is a server that answers each command with the number of its arguments, after a pause if there is one; it keeps
// what it was sent.
type echo struct {
	net.Listener
	pause   time.Duration
	mu      sync.Mutex
	members map[string]int // guarded by mu
	serving sync.WaitGroup
}

func newEcho(t *testing.T, pause time.Duration) *echo {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{Listener: l, pause: pause, members: map[string]int{}}
	e.serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			e.serving.Go(func() { e.serve(c) })
		}
	})
	return e
}

func (e *echo) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		var n, size int
		if _, err := fmt.Fscanf(in, "*%d\r\n", &n); err != nil {
			return
		}
		var last []byte
		for range n {
			if _, err := fmt.Fscanf(in, "$%d\r\n", &size); err != nil {
				return
			}
			last = make([]byte, size+2)
			if _, err := io.ReadFull(in, last); err != nil {
				return
			}
		}
		e.mu.Lock()
		e.members[string(last[:size])]++
		e.mu.Unlock()
		time.Sleep(e.pause) // the server's own slowness, not a wait for anything
		if _, err := fmt.Fprintf(c, ":%d\r\n", n); err != nil {
			return
		}
	}
}

// taken says how many different members were sent since it was last asked.
func (e *echo) taken() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(e.members)
	clear(e.members)
	return n
}

func (e *echo) stop(t *testing.T, c *Conns) {
	c.Close()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	e.serving.Wait()
}

func counted() Work {
	next := 0
	return Work{Template: Command(Text("X"), Member("m", 0)), Random: NewRandom(1),
		Pick: func(*Random) (int, int) { next++; return 0, next - 1 }}
}

func TestClosedSendsWhatIsAllowedAndWaitsForAll(t *testing.T) {
	runtime.LockOSThread() // it tells its thread's CPU time
	defer runtime.UnlockOSThread()
	e := newEcho(t, 0)
	c, err := Dial(e.Addr().String(), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer e.stop(t, c)
	for _, pipeline := range []int{1, 4} {
		r, err := c.Closed(context.Background(), counted(), pipeline, Limit{For: time.Minute, Commands: 100})
		if members := e.taken(); err != nil || r.Commands != 100 || r.Tally.Sum != 200 || r.Latency.Total() != 100 || members != 100 || r.Elapsed <= 0 {
			t.Errorf("pipeline %d: %d commands, tally %+v, %d latencies, %d members, %v", pipeline, r.Commands, r.Tally, r.Latency.Total(), members, err)
		}
	}
	r, err := c.Closed(context.Background(), counted(), 1, Limit{For: 20 * time.Millisecond})
	if err != nil || r.Elapsed < 20*time.Millisecond || r.Commands < 3 {
		t.Errorf("by time: %+v %v, %v", r.Commands, r.Elapsed, err)
	}
}

func TestOpenCountsLatencyFromWhenACommandWasDue(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e := newEcho(t, 20*time.Millisecond)
	c, err := Dial(e.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.stop(t, c)
	// Ten commands are due within 10 ms and take 20 ms each, one after the other: the last waits for about 190 ms.
	r, err := c.Open(context.Background(), counted(), 1000, Limit{For: 10 * time.Millisecond})
	if err != nil || r.Commands != 10 || r.Tally.Sum != 20 {
		t.Fatalf("%d commands, %+v, %v", r.Commands, r.Tally, err)
	}
	if last := r.Latency.Quantile(1); last < 180*time.Millisecond {
		t.Errorf("the last command was answered after %v", last)
	}
}

func TestBurstsKeepTheirRateAndCountFromWhenTheyWereDue(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e := newEcho(t, time.Millisecond)
	c, err := Dial(e.Addr().String(), 4)
	if err != nil {
		t.Fatal(err)
	}
	defer e.stop(t, c)
	var late, early Histogram
	began := time.Now()
	r, err := c.Bursts(context.Background(), counted(), 1000, 10*time.Millisecond, Limit{For: 100 * time.Millisecond}, func(at time.Time) *Histogram {
		if at.Sub(began) > 50*time.Millisecond {
			return &late
		}
		return &early
	})
	if err != nil || r.Commands < 50 || r.Commands > 110 || e.taken() != r.Commands || r.Latency.Total() != r.Commands || r.Tally.Sum != 2*r.Commands {
		t.Fatalf("%d commands, %d latencies, %+v, %v", r.Commands, r.Latency.Total(), r.Tally, err)
	}
	if late.Total() == 0 || early.Total()+late.Total() != r.Commands {
		t.Errorf("%d and %d latencies of %d", early.Total(), late.Total(), r.Commands)
	}
	// Ten commands are due at once on four connections, and take a millisecond each, one after the other: the last waits for three.
	if last := r.Latency.Quantile(1); last < 2*time.Millisecond {
		t.Errorf("the last command of a burst was answered after %v", last)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := c.Bursts(ctx, counted(), 1000, 10*time.Millisecond, Limit{For: time.Hour}, func(time.Time) *Histogram { return nil }); err != nil || r.Commands > 10 {
		t.Errorf("ended before it began: %d commands, %v", r.Commands, err)
	}
}

func TestRunsEndWithTheirContextAndWithTheServer(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e := newEcho(t, 0)
	c, err := Dial(e.Addr().String(), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer e.stop(t, c)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Closed(ctx, counted(), 1, Limit{For: time.Minute}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a cancelled run gives %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the connection, which the test waits for
		if c, err := l.Accept(); err == nil {
			_ = c.Close()
		}
		_ = l.Close()
	}()
	gone, err := Dial(l.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	if _, err := gone.Closed(context.Background(), counted(), 1, Limit{For: time.Minute}); err == nil {
		t.Error("a run on a closed connection gives no error")
	}
}

func TestBulkKeepsUpWithManyCommandsAndTallies(t *testing.T) {
	e := newEcho(t, 0)
	b, err := DialBulk(e.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Dial(e.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.stop(t, c)
	defer b.Close()
	template := Command(Text("X"), Text(strings.Repeat("y", 100)), Member("m", 0))
	const n = 5000 // several chunks
	for range 2 {
		for i := range n {
			if err := b.Send(&template, 0, i); err != nil {
				t.Fatal(err)
			}
		}
		tally, err := b.Finish()
		if members := e.taken(); err != nil || tally.Sum != 3*n || members != n {
			t.Errorf("%+v, %d members, %v", tally, members, err)
		}
	}
	if reply, err := b.Ask("one", "two"); reply != ":2\r\n" || err != nil {
		t.Errorf("asked: %q, %v", reply, err)
	}
}
