package zset

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/transcripts with what the sets answer")

// TestTranscripts plays the files of testdata/transcripts, each once in a listpack and once in a skip list. A line
// that starts with "> " is a call, the lines up to the next are its answer, the rest is for the reader. The two
// encodings must give the same answers.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		for _, encoding := range []Encoding{Listpack, SkipList} {
			entries := map[Encoding]int{Listpack: 1000, SkipList: 0}[encoding]
			t.Run(fmt.Sprintf("%s/%v", strings.TrimSuffix(filepath.Base(file), ".txt"), encoding), func(t *testing.T) {
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				got := play(t, string(want), entries)
				if *update && encoding == Listpack {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				} else if got != string(want) {
					t.Errorf("%s: %s", file, firstDifference(got, string(want)))
				}
			})
		}
	}
}

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	call := ""
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d, %s\n got %s\nwant %s", i+1, call, a[i], b[i])
		}
		if strings.HasPrefix(a[i], "> ") {
			call = a[i]
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// play repeats a transcript's calls and comments, with the answers that a set gives.
func play(t *testing.T, script string, entries int) string {
	tuning, err := NewTuning(Options{P: 0.25, MaxLevel: 32, ListpackMaxEntries: entries, ListpackMaxValueBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSeeded(tuning, 1)
	var out strings.Builder
	answer := false
	for _, line := range strings.SplitAfter(script, "\n") {
		call, isCall := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
		switch {
		case isCall:
			out.WriteString(line)
			for _, said := range respond(t, s, strings.Fields(call)) {
				out.WriteString(said + "\n")
			}
			answer = true
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" || !answer:
			out.WriteString(line)
		}
	}
	return out.String()
}

var flagNames = map[string]AddFlags{"nx": NX, "xx": XX, "gt": GT, "lt": LT, "incr": Incr}

// respond does one call and says what came back, a line for each thing.
func respond(t *testing.T, s *Set, call []string) []string {
	args := call[1:]
	number := func(i int) int {
		n, err := strconv.Atoi(args[i])
		if err != nil {
			t.Fatalf("%q: %v", call, err)
		}
		return n
	}
	switch call[0] {
	case "clear":
		s.Release()
		return nil
	case "add":
		var f AddFlags
		for flagNames[args[0]] != 0 {
			f |= flagNames[args[0]]
			args = args[1:]
		}
		var said []string
		for ; len(args) > 0; args = args[2:] {
			now, r, err := s.Add(memberArg(args[1]), scoreArg(t, args[0]), f)
			line := fmt.Sprintf("%s %s", resultNames[r], scoreText(now))
			if err != nil {
				line = err.Error()
			}
			said = append(said, line)
		}
		return said
	case "remove":
		score, ok := s.Remove(memberArg(args[0]))
		return []string{found(ok, scoreText(score))}
	case "score":
		score, ok := s.Score(memberArg(args[0]))
		return []string{found(ok, scoreText(score))}
	case "rank":
		rank, score, ok := s.Rank(memberArg(args[0]))
		return []string{found(ok, fmt.Sprintf("%d with %s", rank, scoreText(score)))}
	case "at":
		member, score, ok := s.At(number(0))
		return []string{found(ok, fmt.Sprintf("%q %s", member, scoreText(score)))}
	case "len":
		return []string{strconv.Itoa(s.Len())}
	case "byrank":
		return ranged(t, s, s.ByRank(number(0), number(1)), args[2:])
	case "byscore":
		low, lowOut := strings.CutPrefix(args[0], "(")
		high, highOut := strings.CutPrefix(args[1], "(")
		return ranged(t, s, s.ByScore(ScoreRange{scoreArg(t, low), scoreArg(t, high), lowOut, highOut}), args[2:])
	case "bylex":
		return ranged(t, s, s.ByLex(LexRange{lexArg(args[0]), lexArg(args[1])}), args[2:])
	}
	t.Fatalf("no such call: %q", call)
	return nil
}

// ranged goes on with a range as the words after it say: limit, rlimit, then up (the default), down, count or remove.
func ranged(t *testing.T, s *Set, r Range, words []string) []string {
	pairs := s.Ascend
	for ; len(words) > 0; words = words[1:] {
		switch words[0] {
		case "limit", "rlimit":
			offset, err1 := strconv.Atoi(words[1])
			count, err2 := strconv.Atoi(words[2])
			if err1 != nil || err2 != nil {
				t.Fatalf("%q", words)
			}
			if words[0] == "limit" {
				r = r.Limit(offset, count)
			} else {
				r = r.LimitReverse(offset, count)
			}
			words = words[2:]
		case "down":
			pairs = s.Descend
		case "count":
			return []string{strconv.Itoa(r.Len())}
		case "remove":
			return []string{strconv.Itoa(s.RemoveRange(r))}
		default:
			t.Fatalf("%q", words)
		}
	}
	said := []string{}
	for member, score := range pairs(r) {
		said = append(said, fmt.Sprintf("%q %s", member, scoreText(score)))
	}
	if len(said) == 0 {
		return []string{"nothing"}
	}
	return []string{strings.Join(said, ", ")}
}

var resultNames = map[AddResult]string{Skipped: "skipped", Added: "added", Updated: "updated", Unchanged: "unchanged"}

func found(ok bool, text string) string {
	if !ok {
		return "not there"
	}
	return text
}

func scoreText(score float64) string { return strconv.FormatFloat(score, 'g', -1, 64) }

func scoreArg(t *testing.T, text string) float64 {
	score, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(score, 0) {
		t.Fatal(err)
	}
	return score
}

// memberArg is a word as a member; ” is the empty one, and % stands for a byte 0xff.
func memberArg(word string) []byte {
	return []byte(strings.ReplaceAll(strings.ReplaceAll(word, "''", ""), "%", "\xff"))
}

func lexArg(word string) LexBound {
	switch {
	case word == "-":
		return LexBound{Infinite: -1}
	case word == "+":
		return LexBound{Infinite: 1}
	}
	return LexBound{Value: memberArg(word[1:]), Exclusive: word[0] == '('}
}
