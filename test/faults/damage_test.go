//go:build linux && faults

package faults

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"zset.dev/operator/test/faults/recorder"
)

// damage is done to the end of a file that commands were appended to.
type damage struct {
	name string
	torn bool                                                                       // it may be what a crash leaves, when no whole command is behind it
	do   func(random *rand.Rand, file []byte, from int) (damaged []byte, whole int) // whole bytes are as they were
}

// last is how much of a file's end is damaged, as by blocks that were not written.
const last = 16 << 10

var damages = []damage{
	{"cut off", true, func(random *rand.Rand, file []byte, from int) ([]byte, int) {
		at := from + random.IntN(len(file)-from)
		return file[:at], at
	}},
	{"zeros up to the end", true, func(random *rand.Rand, file []byte, from int) ([]byte, int) {
		at := from + random.IntN(len(file)-from)
		clear(file[at:])
		return file, at
	}},
	{"a block of zeros", true, func(random *rand.Rand, file []byte, from int) ([]byte, int) {
		at := from + random.IntN(len(file)-from)
		clear(file[at:min(len(file), at+4096)])
		return file, at
	}},
	{"noise", false, func(random *rand.Rand, file []byte, from int) ([]byte, int) {
		at := from + random.IntN(len(file)-from)
		for i := at; i < min(len(file), at+512); i++ {
			file[i] = byte(random.Uint32())
		}
		return file, at
	}},
}

// TestDamagedFile damages the end of the incremental file at random, as a power cut may: a torn end is cut off, with a report;
// damage with whole commands behind it, or with noise, is refused, unless the server is told otherwise; and nothing before the damage is lost.
func TestDamagedFile(t *testing.T) {
	random := choices(t)
	s := run(t, Config{Args: appending("always", "--auto-aof-rewrite-percentage", "0")})
	r := recorder.Start(recorder.Options{Client: s.Client(), Seed: random.Uint64N(1 << 40), Writers: 3, Transactions: 1, Members: 500, Pipeline: 7})
	t.Cleanup(r.Stop)
	must(t, r.Await(limited(t), 6000))
	r.Stop()
	s.Kill()
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			n, repaired, refused := runs(4, 60), 0, 0
			v := recorder.Verdict{Acknowledged: int(r.Acknowledged())}
			for i := range n {
				c := s.Config
				c.Dir, c.Addr = copied(t, s.Dir), ""
				files, err := filepath.Glob(filepath.Join(c.Dir, "appendonlydir", "*.incr.aof"))
				must(t, err)
				if len(files) != 1 {
					t.Fatalf("incremental files: %v", files)
				}
				file, err := os.ReadFile(files[0])
				must(t, err)
				damaged, whole := d.do(random, file, max(0, len(file)-last))
				must(t, os.WriteFile(files[0], damaged, 0o644))
				want, end := replayed(damaged[:whole])
				again := begin(t, c)
				if err := started(t, again); err != nil {
					if d.torn && !behind(damaged[whole:]) && system.Ours() {
						t.Fatalf("run %d: %d of %d bytes are whole, there is no command behind them, and it does not start: %v", i, whole, len(file), err)
					}
					after, err := os.ReadFile(files[0])
					must(t, err)
					if !bytes.Equal(after, damaged) {
						t.Errorf("run %d: it refuses the file, and changes it", i)
					}
					refused++
					if !system.Ours() {
						continue
					}
					c.Args = append(append([]string(nil), c.Args...), "--aof-load-corrupt-tail-max-size", fmt.Sprint(2*last))
					again = begin(t, c)
					must(t, started(t, again))
				} else if !d.torn && end < len(damaged) || behind(damaged[whole:]) {
					t.Fatalf("run %d: %d of %d bytes are whole, there are commands or noise behind them, and it starts: %s", i, whole, len(file), again.Log())
				} else {
					repaired++
				}
				held, err := r.Read(limited(t), again.Client())
				must(t, err)
				if !same(held, want) {
					t.Fatalf("run %d: what it holds is not what the %d whole bytes say: %s", i, whole, difference(held, want))
				}
				if log := strings.ToLower(again.Log()); end < len(damaged) && !strings.Contains(log, "truncat") && !strings.Contains(log, "cut") {
					t.Errorf("run %d: it does not say that it cut the file: %s", i, again.Log())
				}
				u := r.Weigh(held)
				if !u.Consistent() {
					t.Fatalf("run %d: %v", i, u)
				}
				again.Kill()
			}
			add("end of the file damaged: "+d.name, n, v, fmt.Sprintf("%d repaired, %d refused until told otherwise, nothing before the damage lost", repaired, refused))
		})
	}
}

// started waits until a server answers or has ended.
func started(t *testing.T, s *Server) error {
	t.Helper()
	err := s.Ready(limited(t))
	select {
	case <-s.Ended():
		return err
	default:
		must(t, err)
		return nil
	}
}

// behind reports whether whole commands stand behind damage, at which b begins.
func behind(b []byte) bool {
	for {
		at := bytes.Index(b, []byte("\r\n*"))
		if at < 0 {
			return false
		}
		b = b[at+2:]
		if _, n := parse(b); n > 0 {
			return true
		}
	}
}

// parse reads a command in the protocol; n is 0 when there is no whole one.
func parse(b []byte) (words []string, n int) {
	at := 0
	number := func(kind byte) int {
		end := bytes.Index(b[at:], []byte("\r\n"))
		if end < 1 || b[at] != kind {
			return -1
		}
		v, err := strconv.Atoi(string(b[at+1 : at+end]))
		if err != nil {
			return -1
		}
		at += end + 2
		return v
	}
	count := number('*')
	if count < 1 {
		return nil, 0
	}
	for range count {
		size := number('$')
		if size < 0 || at+size+2 > len(b) || string(b[at+size:at+size+2]) != "\r\n" {
			return nil, 0
		}
		words = append(words, string(b[at:at+size]))
		at += size + 2
	}
	return words, at
}

// replayed is what the whole commands at the beginning of a file make of nothing, and where these end.
func replayed(file []byte) (held recorder.Contents, whole int) {
	held = recorder.Contents{}
	b := file
	var queued [][]string
	multi := false
	for {
		for len(b) > 0 && b[0] == '#' { // an annotation
			end := bytes.IndexByte(b, '\n')
			if end < 0 {
				return held, whole
			}
			b = b[end+1:]
		}
		if !multi {
			whole = len(file) - len(b)
		}
		words, n := parse(b)
		if n == 0 {
			return held, whole
		}
		b = b[n:]
		switch name := strings.ToUpper(words[0]); {
		case name == "MULTI":
			multi = true
		case name == "EXEC":
			for _, q := range queued {
				apply(held, q)
			}
			queued, multi = nil, false
		case multi:
			queued = append(queued, words)
		default:
			apply(held, words)
		}
	}
}

// apply does one command.
func apply(held recorder.Contents, words []string) {
	if len(words) < 2 {
		return
	}
	set := held[words[1]]
	if set == nil {
		set = map[string]float64{}
		held[words[1]] = set
	}
	score := func(i int) float64 { v, _ := strconv.ParseFloat(words[i], 64); return v }
	switch strings.ToUpper(words[0]) {
	case "ZADD":
		for i := 2; i+1 < len(words); i += 2 {
			set[words[i+1]] = score(i)
		}
	case "ZINCRBY":
		set[words[3]] += score(2)
	case "ZREM":
		for _, m := range words[2:] {
			delete(set, m)
		}
	case "DEL", "UNLINK":
		delete(held, words[1])
	}
}

func same(a, b recorder.Contents) bool {
	full := func(c recorder.Contents) recorder.Contents {
		c = maps.Clone(c)
		maps.DeleteFunc(c, func(_ string, set map[string]float64) bool { return len(set) == 0 })
		return c
	}
	return maps.EqualFunc(full(a), full(b), maps.Equal[map[string]float64, map[string]float64])
}

// difference is one of them.
func difference(held, want recorder.Contents) string {
	for _, pair := range []struct {
		a, b   recorder.Contents
		spoken string
	}{{want, held, "%s %s should be %v, and is %v (there: %v)"}, {held, want, "%s %s is %v, and should be %v (there: %v)"}} {
		for key, set := range pair.a {
			for m, score := range set {
				if other, there := pair.b[key][m]; !there || other != score {
					return fmt.Sprintf(pair.spoken, key, m, score, other, there)
				}
			}
		}
	}
	return "none"
}
