package main

import (
	"math"
	"net"
	"runtime"
	"slices"
	"testing"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

func TestKeysComeOnce(t *testing.T) {
	keys, seen := keyMaker(14), map[string]bool{}
	for i := range 100_000 {
		k := string(keys(nil, i))
		if len(k) != 14 || seen[k] {
			t.Fatalf("key %d is %q", i, k)
		}
		seen[k] = true
	}
}

func TestReplies(t *testing.T) {
	for reply, want := range map[string]string{
		"+OK\r\n": "OK", ":12\r\n": "12", "$5\r\na\r\nbc\r\n": "a\r\nbc", "$0\r\n\r\n": "", "$-1\r\n": "", ",1.5\r\n": "1.5",
		"-ERR no\r\n": `error the server answers "ERR no"`, "*0\r\n": `error an unexpected reply "*0"`, "\r\n": "error an empty reply",
	} {
		client, server := net.Pipe()
		go func() {
			_, _ = server.Read(make([]byte, 100)) // the command
			_, _ = server.Write([]byte(reply))
			_ = server.Close()
		}()
		c := newConn(client)
		got, err := c.ask("PING")
		if err != nil {
			got = "error " + err.Error()
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", reply, got, want)
		}
		c.close()
	}
}

// TestEachProposalIsMeasuredAndShown runs all but the one that needs servers at a tiny scale, from the requests to
// the tables.
func TestEachProposalIsMeasuredAndShown(t *testing.T) {
	runtime.LockOSThread() // as measure.Pin does: times are those of a thread
	defer runtime.UnlockOSThread()
	for _, s := range seeds {
		requests := s.requests(settings{})
		if s.name == embedded.name {
			if requests != nil {
				t.Errorf("%s asks for %v without a server", s.name, requests)
			}
			continue
		}
		var figures report.Figures
		err := figures.Take(2, len(requests), "abc", func(run, i int) (values []report.Value, err error) {
			r := requests[i]
			r.Seed, r.Random, r.Budget = s.name, uint64(run), 1000
			switch r.Variant {
			case fillVariant:
				r.Members /= 8
			case pushVariant:
			default:
				r.Members = 2000
			}
			result, err := s.serve(r)
			for _, v := range result {
				if !(v.Value > 0) || math.IsInf(v.Value, 0) {
					t.Errorf("%s: %+v gives %+v", s.name, r, v)
				}
				values = append(values, report.Value{Key: r.key(v), Value: v.Value})
			}
			return values, err
		})
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		tables := s.tables(figures)
		if len(tables) == 0 {
			t.Errorf("%s: no tables", s.name)
		}
		for _, table := range tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Heads) {
					t.Errorf("%s: row %v of a table of %d columns", s.name, row, len(table.Heads))
				}
				// What the authors did not measure stands in the columns on the right.
				if i := slices.Index(row, report.Missing); i >= 0 && i < 4 {
					t.Errorf("%s: row %v lacks a figure", s.name, row)
				}
			}
		}
	}
}

func TestRemoversTakeOutTheSame(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, variant := range []string{perMember, oneMove} {
		// serveBulk counts what is left and fails when it is not what it should be.
		if _, err := serveBulk(request{Variant: variant, Form: contender.Form{Name: contender.Listpack}, Members: 10, Bytes: 16}); err != nil {
			t.Errorf("%s: %v", variant, err)
		}
	}
}

func TestChange(t *testing.T) {
	figure := func(v float64) report.Figure { return report.Figure{Summary: measure.Summarize([]float64{v})} }
	for _, c := range []struct {
		from, to report.Figure
		want     string
	}{{figure(100), figure(108), "+8.0 %"}, {figure(100), figure(60), "-40.0 %"}, {report.Figure{}, figure(1), report.Missing}} {
		if got := change(c.from, c.to); got != c.want {
			t.Errorf("from %v to %v: %q, want %q", c.from.Median, c.to.Median, got, c.want)
		}
	}
}
