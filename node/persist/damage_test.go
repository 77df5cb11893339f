package persist

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tidwall/redcon"
)

// text is commands as they stand in a file.
func text(commands ...string) string {
	var all []byte
	for _, c := range commands {
		words := strings.Fields(c)
		all = redcon.AppendArray(all, len(words))
		for _, w := range words {
			all = redcon.AppendBulkString(all, w)
		}
	}
	return string(all)
}

func TestWholeBehind(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	garbage := make([]byte, 2*searchBytes)
	for i := range garbage {
		garbage[i] = byte(rng.Uint32())
	}
	some := text("ZADD board 1 a", "ZADD board 2 b", "ZREM board a")
	tests := []struct {
		name, behind string
		want         bool
	}{
		{"nothing", "", false},
		{"zeros", strings.Repeat("\x00", 5000), false},
		{"garbage", string(garbage), false},
		{"garbage that looks like the beginning", "\r\n*3\r\n$4\r\nZADD", false},
		{"one command, which may be a member's bytes", "xx\r\n" + text("PING x"), false},
		{"commands", "xx\r\n" + some, true},
		{"commands far away", string(garbage) + "\r\n" + some + "*torn", true},
		{"commands across pieces", string(garbage[:searchBytes-1]) + "\r\n" + some, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := text("PING 1") + "!" + tt.behind
			got, err := WholeBehind(strings.NewReader(file), int64(len(text("PING 1"))), int64(len(file)))
			if err != nil || got != tt.want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

func TestEndsInZeros(t *testing.T) {
	const whole = "*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n"
	zeros := strings.Repeat("\x00", 100_000)
	for _, c := range []struct {
		name, end string
		want      bool
	}{
		{"zeros alone", zeros, true},
		{"one zero", "\x00", true},
		{"the beginning of a command", whole[:9] + zeros, true},
		{"one that claims more than there is", "*2\r\n$3\r\nDEL\r\n$900\r\nk" + zeros[:10], true},
		{"no zeros", whole[:9], false},
		{"a whole command", whole + zeros, false},
		{"no command", "rubbish\r\n" + zeros, false},
		{"zeros in the midst", whole[:9] + zeros + "x", false},
	} {
		file := whole + c.end
		got, err := endsInZeros(strings.NewReader(file), int64(len(whole)), int64(len(file)))
		if got != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}
