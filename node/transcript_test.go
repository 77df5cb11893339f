package node

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var record = flag.String("record", "", "address of a real server (a Valkey without data) to record testdata/transcripts anew from; it is flushed")

// A transcript is commands and the bytes a real server answered:
//
//	# a comment
//	> ZSCORE key member     words, quoted as at a prompt
//	= "$1\r\n1\r\n"          the reply in RESP2 and RESP3, or
//	2 "$1\r\n1\r\n"          in RESP2
//	3 ",1\r\n"              in RESP3
//	~ "…"                   ours, where it differs on purpose; = both, or
//	~2 "…" and ~3 "…"       each; a comment says why
//
// To record: go test ./node -run TestTranscripts -record 127.0.0.1:7001
type step struct {
	lines []string // comments and the command, as they stand
	args  []string
	peer  [4]string // by protocol version
	ours  [4]string // where it differs
}

func readTranscript(t *testing.T, path string) (steps []step, tail []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		sign, rest, _ := strings.Cut(line, " ")
		switch sign {
		case "", "#":
			lines = append(lines, line)
		case ">":
			words, err := splitInline([]byte(rest), nil)
			if err != nil {
				t.Fatalf("%s:%d: %v", path, n+1, err)
			}
			s := step{lines: append(lines, line)}
			for _, word := range words {
				s.args = append(s.args, string(word))
			}
			steps, lines = append(steps, s), nil
		case "=", "2", "3", "~", "~2", "~3":
			reply, err := strconv.Unquote(rest)
			if err != nil || len(steps) == 0 {
				t.Fatalf("%s:%d: a reply must be a quoted string after a command", path, n+1)
			}
			to := &steps[len(steps)-1].peer
			if sign[0] == '~' {
				to = &steps[len(steps)-1].ours
			}
			for proto := 2; proto <= 3; proto++ {
				if sign == "=" || sign == "~" || strings.HasSuffix(sign, strconv.Itoa(proto)) {
					to[proto] = reply
				}
			}
		default:
			t.Fatalf("%s:%d: a line starts with %q", path, n+1, sign)
		}
	}
	return steps, lines
}

func writeTranscript(t *testing.T, path string, steps []step, tail []string) {
	t.Helper()
	var out strings.Builder
	replies := func(prefix, same string, by [4]string) {
		switch {
		case by[2] == "" && by[3] == "":
		case by[2] == by[3]:
			out.WriteString(same + " " + strconv.Quote(by[2]) + "\n")
		default:
			out.WriteString(prefix + "2 " + strconv.Quote(by[2]) + "\n" + prefix + "3 " + strconv.Quote(by[3]) + "\n")
		}
	}
	for _, s := range steps {
		out.WriteString(strings.Join(s.lines, "\n") + "\n")
		replies("", "=", s.peer)
		replies("~", "~", s.ours)
	}
	for _, line := range tail {
		out.WriteString(line + "\n")
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// begin connects and brings a server to the state transcripts start from.
func begin(t *testing.T, addr string, proto int) *wire {
	t.Helper()
	w := dial(t, addr)
	w.do("HELLO", strconv.Itoa(proto))
	w.do("FLUSHALL")
	return w
}

func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	if *record != "" {
		for _, path := range files {
			steps, tail := readTranscript(t, path)
			for proto := 2; proto <= 3; proto++ {
				w := begin(t, *record, proto)
				for i := range steps {
					steps[i].peer[proto] = w.do(steps[i].args...)
				}
			}
			writeTranscript(t, path, steps, tail)
		}
	}
	shown := elsewhere(t)
	for _, encoding := range []struct{ name, entries string }{{"listpack", "128"}, {"skiplist", "0"}} {
		s := start(t, "--zset-max-listpack-entries", encoding.entries)
		for _, path := range files {
			t.Run(encoding.name+"/"+strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
				steps, _ := readTranscript(t, path)
				for proto := 2; proto <= 3; proto++ {
					w := begin(t, s.addr, proto)
					for _, step := range steps {
						want := step.peer[proto]
						if step.ours[proto] != "" {
							want = step.ours[proto]
						}
						if want == "" {
							t.Fatalf("%q has no reply: record it", step.args)
						}
						if got := w.do(step.args...); got != want {
							t.Errorf("RESP%d %q:\n got %q\nwant %q", proto, step.args, got, want)
						}
					}
				}
			})
		}
		names := s.table.Names()
		for i, name := range names {
			container := i+1 < len(names) && strings.HasPrefix(names[i+1], name+"|")
			if !container && s.stats.Command(i).Calls.Load() == 0 && !shown[name] {
				t.Errorf("no transcript runs %s, and testdata/behaviours.txt names no other test that does", name)
			}
		}
	}
}
