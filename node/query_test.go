package node

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// received is a query buffer with these bytes.
func received(t *testing.T, data string) *query {
	t.Helper()
	var q query
	for data != "" {
		n := copy(q.space(), data)
		q.received(n)
		data = data[n:]
	}
	return &q
}

// Commands that were cut ahead are looked at again when what a client may send
// has changed meanwhile.
func TestCutAheadFollowsTheLimits(t *testing.T) {
	usual := frameLimits{authenticated: true, bulkBytes: 100}
	ping, echo := string(array("PING")), string(array("ECHO", strings.Repeat("x", 50)))
	wide := string(array(slices.Repeat([]string{"word"}, unauthArgs+1)...))
	for _, c := range []struct {
		name, behind string
		then         frameLimits
		want         error
	}{
		{"shorter arguments", echo, frameLimits{authenticated: true, bulkBytes: 49}, errBulkLength},
		{"as long as it is", echo, frameLimits{authenticated: true, bulkBytes: 50}, nil},
		{"a stranger's words", wide, frameLimits{bulkBytes: 100}, errUnauthCount},
		{"a user's words", wide, usual, nil},
	} {
		q := received(t, ping+c.behind+ping)
		if args, err := q.next(usual); err != nil || fmt.Sprintf("%s", args) != "[PING]" {
			t.Fatalf("%s: %q, %v", c.name, args, err)
		}
		if q.cuts != 3 || q.taken != 1 {
			t.Fatalf("%s: %d commands are cut, %d taken", c.name, q.cuts, q.taken)
		}
		if _, err := q.next(c.then); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// Commands that were cut ahead and not taken are there still when the buffer
// has moved to make room.
func TestCutAheadOutlivesTheBuffer(t *testing.T) {
	limits := frameLimits{authenticated: true, bulkBytes: 1 << 20}
	var q query
	sent, got := 0, 0
	for got < 1000 {
		for range 7 {
			for rest := array("ECHO", fmt.Sprint(sent), strings.Repeat("x", sent*37%3000)); len(rest) > 0; {
				n := copy(q.space(), rest)
				q.received(n)
				rest = rest[n:]
			}
			sent++
		}
		for range 7 - got%2 {
			args, err := q.next(limits)
			if err != nil || len(args) != 3 || string(args[1]) != fmt.Sprint(got) || len(args[2]) != got*37%3000 {
				t.Fatalf("command %d: %.100q, %v", got, args, err)
			}
			got++
		}
	}
}
