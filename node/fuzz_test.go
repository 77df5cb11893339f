package node

import (
	"bytes"
	"fmt"
	"testing"
)

// cut feeds data to a query buffer in pieces and returns what comes out:
// the commands, then how it ended.
func cut(data []byte, piece func() int, limits frameLimits) (commands []string, ended error) {
	var q query
	for len(data) > 0 {
		space := q.space()
		n := min(max(piece(), 1), len(space), len(data))
		copy(space, data[:n])
		q.received(n)
		data = data[n:]
		for {
			args, err := q.next(limits)
			if err != nil {
				return commands, err
			}
			if args == nil {
				break
			}
			if len(args) > 0 {
				commands = append(commands, fmt.Sprintf("%q", args))
			}
		}
	}
	return commands, nil
}

// Whatever arrives, and however it is split, the same commands come out and
// the same error ends them; and what comes out of whole commands is what they
// were made of.
func FuzzReadLoop(f *testing.F) {
	for _, seed := range []string{
		"*2\r\n$4\r\nECHO\r\n$5\r\nhello\r\n*1\r\n$4\r\nPING\r\n", "PING\r\nECHO \"a\\x00b\" 'c'\n", "*0\r\n*-1\r\n\r\n*1\r\n$0\r\n\r\n",
		"*1\r\n$-2\r\nxx\r\n", "*1000000000\r\n$3\r\nfoo\r\n", "*1\r\n$9223372036854775807\r\n", "*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n",
		"$4\r\nPING\r\n", "*x\r\n", "*2\r\n$1\r\n", "\"", "*1\r", "*1\r\n$1\r\n\r\n\r\n", "set a 'b\\'c' \"\\\"\"\r\n",
	} {
		f.Add([]byte(seed), uint64(7), false)
		f.Add([]byte(seed), uint64(1), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, split uint64, authenticated bool) {
		limits := frameLimits{authenticated, 1 << 20}
		whole, wholeEnd := cut(data, func() int { return len(data) }, limits)
		bytewise, bytewiseEnd := cut(data, func() int { return 1 }, limits)
		state := split
		random, randomEnd := cut(data, func() int {
			state = state*6364136223846793005 + 1442695040888963407
			return int(state>>33) % 40
		}, limits)
		for name, other := range map[string]struct {
			commands []string
			ended    error
		}{"byte by byte": {bytewise, bytewiseEnd}, "split at random": {random, randomEnd}} {
			if fmt.Sprint(other.commands) != fmt.Sprint(whole) || fmt.Sprint(other.ended) != fmt.Sprint(wholeEnd) {
				t.Fatalf("%q\nat once:   %v, %v\n%s: %v, %v", data, whole, wholeEnd, name, other.commands, other.ended)
			}
		}

		words := bytes.Split(data, []byte{'a'})
		if len(words) > unauthArgs {
			words = words[:unauthArgs]
		}
		var text []string
		for _, word := range words {
			if len(word) > unauthBytes {
				return
			}
			text = append(text, string(word))
		}
		made := append(array(text...), array(text...)...)
		want := fmt.Sprintf("%q", words)
		if got, err := cut(made, func() int { return 3 }, limits); err != nil || len(got) != 2 || got[0] != want || got[1] != want {
			t.Fatalf("sent %s twice, got %v, %v", want, got, err)
		}
	})
}
