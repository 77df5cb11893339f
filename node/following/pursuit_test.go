package following

import (
	"testing"
	"time"
)

func TestPauseBetweenAttempts(t *testing.T) {
	for _, tt := range []struct {
		failures    int
		least, most time.Duration
	}{
		{0, 50 * time.Millisecond, 100 * time.Millisecond},
		{3, 400 * time.Millisecond, 800 * time.Millisecond},
		{6, 2500 * time.Millisecond, 5 * time.Second},
		{1 << 40, 2500 * time.Millisecond, 5 * time.Second},
	} {
		if got := pause(tt.failures, 0); got != tt.least {
			t.Errorf("after %d failures at least %v, want %v", tt.failures, got, tt.least)
		}
		if got := pause(tt.failures, 0.999999999); got > tt.most || got < tt.most-time.Millisecond {
			t.Errorf("after %d failures at most %v, want %v", tt.failures, got, tt.most)
		}
	}
}

func TestTarget(t *testing.T) {
	if got := (Target{"::1", 6379}).Address(); got != "[::1]:6379" {
		t.Errorf("an address of IPv6 is dialled as %s", got)
	}
	if !(Target{"Node-0", 1}).same(Target{"node-0", 1}) || (Target{"a", 1}).same(Target{"a", 2}) {
		t.Error("targets are compared wrongly")
	}
}
