package zset

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A peer is a server that is asked the same questions, over the simplest client there can be.
type peer struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// do sends a command and returns the answer: a string, an int, an error or a list of them.
func (p *peer) do(args ...string) any {
	p.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	if err := p.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.WriteString(p.conn, b.String()); err != nil {
		p.t.Fatal(err)
	}
	return p.reply()
}

func (p *peer) reply() any {
	p.t.Helper()
	line, err := p.in.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	kind, text := line[0], strings.TrimSuffix(line[1:], "\r\n")
	n, _ := strconv.Atoi(text)
	switch kind {
	case '-':
		return fmt.Errorf("%s", text)
	case ':':
		return n
	case '$':
		bulk := make([]byte, n+2)
		if _, err := io.ReadFull(p.in, bulk); err != nil {
			p.t.Fatal(err)
		}
		return string(bulk[:n])
	case '*':
		var list []any
		for range n {
			list = append(list, p.reply())
		}
		return list
	}
	return text
}

// pairs reads a list of members and scores.
func (p *peer) pairs(reply any) (pairs []pair) {
	p.t.Helper()
	list, ok := reply.([]any)
	if !ok {
		p.t.Fatal(reply)
	}
	for i := 0; i < len(list); i += 2 {
		score, err := strconv.ParseFloat(list[i+1].(string), 64)
		if err != nil {
			p.t.Fatal(err)
		}
		pairs = append(pairs, pair{list[i].(string), score})
	}
	return pairs
}

// load writes a set to a key.
func (p *peer) load(key string, s *Set) {
	p.t.Helper()
	p.do("DEL", key)
	args := []string{"ZADD", key}
	for member, score := range s.All() {
		args = append(args, strconv.FormatFloat(score, 'g', -1, 64), string(member))
	}
	if len(args) > 2 {
		if n := p.do(args...); n != s.Len() {
			p.t.Fatalf("ZADD = %v, want %d", n, s.Len())
		}
	}
}

// TestAlgebraAgainstPeers solves the table of aggregations and random problems here and on each server of ZSET_PEERS (host:port, separated by
// commas), and compares scores to the last bit. It empties nothing but the keys it uses.
func TestAlgebraAgainstPeers(t *testing.T) {
	addresses := os.Getenv("ZSET_PEERS")
	if addresses == "" {
		t.Skip("ZSET_PEERS does not say which servers to compare with")
	}
	for _, address := range strings.Split(addresses, ",") {
		t.Run(address, func(t *testing.T) {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			p := &peer{t: t, conn: conn, in: bufio.NewReader(conn)}
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, 0))
			counts := 0
			for _, x := range aggregations() {
				pr := &problem{in: x.inputs(t, func() *Set { return NewSeeded(nil, 1) })}
				if slices.ContainsFunc(x.weights, math.IsNaN) { // servers refuse it
					continue
				}
				pr.sets = plainSets(pr.in)
				counts += p.compare(pr)
			}
			for range 500 {
				counts += p.compare(drawProblem(r.IntN))
			}
			if counts == 0 {
				t.Log("this server has no AGGREGATE COUNT")
			}
		})
	}
}

// compare says how many times the server could aggregate by count.
func (p *peer) compare(pr *problem) (counts int) {
	t := p.t
	for i, s := range pr.sets {
		// A server's listpack would forget the sign of -0.
		for _, pair := range pairsOf(s) {
			if pair.score == 0 && math.Signbit(pair.score) {
				s.Remove([]byte(pair.member))
				s.Add([]byte(pair.member), 0, 0)
			}
		}
		p.load(fmt.Sprintf("algebra:{1}%d", i), s)
	}
	if len(pr.in) == 0 {
		return 0
	}
	keys, weights := []string{strconv.Itoa(len(pr.in))}, []string{"WEIGHTS"}
	for _, x := range pr.in {
		key := "algebra:{1}none"
		for i, s := range pr.sets {
			if s == x.Set {
				key = fmt.Sprintf("algebra:{1}%d", i)
			}
		}
		keys = append(keys, key)
		weights = append(weights, strconv.FormatFloat(x.Weight, 'g', -1, 64))
	}
	ask := func(name string, options ...string) any {
		return p.do(append(append([]string{name}, keys...), options...)...)
	}
	expect := func(what string, r Result, reply any) {
		t.Helper()
		if got, want := pairsOfResult(r), p.pairs(reply); !samePairs(got, want) {
			t.Fatalf("%v: %s\ngot  %v\nwant %v", pr, what, got, want)
		}
	}
	var a Algebra
	for g := Sum; g <= Count; g++ {
		options := append(weights[:len(weights):len(weights)], "AGGREGATE", g.String(), "WITHSCORES")
		reply := ask("ZUNION", options...)
		if _, refused := reply.(error); refused && g == Count {
			continue
		}
		if g == Count {
			counts++
		}
		expect("union "+g.String(), a.Union(g, pr.in...), reply)
		expect("intersection "+g.String(), a.Intersect(g, pr.in...), ask("ZINTER", options...))
	}
	sets := plainSets(pr.in)
	expect("difference", a.Diff(sets...), ask("ZDIFF", "WITHSCORES"))
	for _, limit := range []int{0, 1, 7} {
		if got, want := a.IntersectCount(limit, sets...), ask("ZINTERCARD", "LIMIT", strconv.Itoa(limit)); got != want {
			t.Fatalf("%v: IntersectCount(%d) = %d, want %v", pr, limit, got, want)
		}
	}
	return counts
}
