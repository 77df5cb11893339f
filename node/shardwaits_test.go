package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"testing"
)

// What INFO says of a node that is not primary: one line, and the same one each time for the same trouble.
func TestWaits(t *testing.T) {
	forbidden := errors.New("lease: cannot read board-s0: leases \"board-s0\" is forbidden:\n User \"x\" cannot get it")
	refused := &url.Error{Op: "Get", URL: "https://10.96.0.1", Err: &net.OpError{Op: "read", Err: errors.New("10.244.1.3:41234->10.96.0.1:443: reset")}}
	for _, test := range []struct {
		why     string
		trouble error
		want    string
	}{
		{"", nil, ""},
		{"board-s0-1 holds the record", nil, "board-s0-1 holds the record"},
		{"", forbidden, `lease: cannot read board-s0: leases "board-s0" is forbidden: User "x" cannot get it`},
		{"it has not read the record yet", fmt.Errorf("lease: cannot read: %w", refused), "it has not read the record yet: the API server does not answer"},
		{"", fmt.Errorf("lease: %w", context.DeadlineExceeded), "the API server does not answer"},
	} {
		if got := waits(test.why, test.trouble); got != test.want {
			t.Errorf("%q with %v: %q, want %q", test.why, test.trouble, got, test.want)
		}
	}
}
