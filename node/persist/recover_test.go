package persist

import (
	"io"
	"strings"
	"testing"

	"zset.dev/operator/node/replog"
)

func TestWhatMayBeCutOff(t *testing.T) {
	end := damage{path: "f", size: 1000, good: 900, at: 900, last: true, err: replog.ErrTorn}
	corrupt := end
	corrupt.err = &replog.CorruptError{Offset: 900, Reason: "x"}
	transaction := end
	transaction.err, transaction.at, transaction.commands = io.EOF, 1000, 3
	first := end
	first.last = false
	for _, tt := range []struct {
		name                string
		d                   damage
		torn, behind, mayBe bool
		corruptTail         int64
		allowed             bool
		says                string
	}{
		{"a torn end", end, true, false, true, 0, true, "a command has no end"},
		{"a torn end, when that is refused", end, true, false, false, 0, false, "set aof-load-truncated to yes"},
		{"a transaction without its end", transaction, true, false, true, 0, true, "a transaction has no end"},
		{"a length that is wrong", end, true, true, true, 0, false, "others follow"},
		{"a corrupt end", corrupt, false, false, true, 0, false, "aof-load-corrupt-tail-max-size"},
		{"a corrupt end that is allowed", corrupt, false, false, true, 100, true, "there is no command"},
		{"a corrupt end that is too long", corrupt, false, false, true, 99, false, "aof-load-corrupt-tail-max-size"},
		{"a corrupt middle that is allowed", corrupt, false, true, true, 100, true, "others follow"},
		{"a corrupt middle", corrupt, false, true, true, 0, false, "others follow"},
		{"a torn end of another file", first, true, false, true, 1000, false, "not the last of the files"},
	} {
		got := decide(tt.d, tt.torn, tt.behind, tt.mayBe, tt.corruptTail)
		if got.allowed != tt.allowed || !strings.Contains(got.refusal(tt.d), tt.says) {
			t.Errorf("%s: %v, %s", tt.name, got.allowed, got.refusal(tt.d))
		}
	}
}
