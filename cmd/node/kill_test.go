package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// ask sends a command of plain words, and returns the first line of the answer.
func ask(in *bufio.Reader, out interface{ Write([]byte) (int, error) }, words string) (string, error) {
	if _, err := fmt.Fprintf(out, "%s\r\n", words); err != nil {
		return "", err
	}
	line, err := in.ReadString('\n')
	return strings.TrimSpace(line), err
}

// Killed at any moment under load, a node with appendfsync always has every write that was acknowledged, and of each client at
// most the one that was under way besides.
func TestKill(t *testing.T) {
	const rounds, writers = 10, 4
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	var acked [writers]int64
	for round := range rounds + 1 {
		p := launch(t, "--port", "0", "--bind", "127.0.0.1", "--http-port", "0", "--dir", dir, "--appendonly", "yes", "--appendfsync", "always",
			"--auto-aof-rewrite-min-size", "4kb", "--auto-aof-rewrite-percentage", "50")
		go bufio.NewReader(p.stdout).WriteTo(discard{})
		conn := connect(t, p.address)
		in := bufio.NewReader(conn)
		for i := range writers {
			var answer string
			eventually(t, "the data are loaded", func() bool {
				var err error
				if answer, err = ask(in, conn, fmt.Sprintf("ZCARD writer:%d", i)); err != nil {
					t.Fatal(err)
				}
				return !strings.HasPrefix(answer, "-LOADING")
			})
			n, err := strconv.ParseInt(strings.TrimPrefix(answer, ":"), 10, 64)
			if err != nil || n < acked[i] || n > acked[i]+1 {
				t.Fatalf("round %d: %d writes were acknowledged, there are %s", round, acked[i], answer)
			}
			acked[i] = n
		}
		if round == rounds {
			p.Process.Kill()
			p.Wait()
			break
		}
		var all sync.WaitGroup
		for i := range writers {
			conn := connect(t, p.address)
			all.Go(func() {
				in := bufio.NewReader(conn)
				for {
					answer, err := ask(in, conn, fmt.Sprintf("ZADD writer:%d %d m:%d", i, acked[i], acked[i]))
					if err != nil {
						return
					}
					if answer != ":1" {
						t.Errorf("a write is answered with %q", answer)
						return
					}
					acked[i]++
				}
			})
		}
		time.AfterFunc(time.Duration(20+rng.IntN(150))*time.Millisecond, func() { p.Process.Kill() })
		all.Wait()
		p.Wait()
	}
	t.Logf("%d writes were acknowledged", acked)
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
