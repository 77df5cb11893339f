package node

import "testing"

func TestGarbagePercent(t *testing.T) {
	const mega = 1 << 20
	for _, c := range []struct {
		live, floor int64
		want        int
	}{
		{0, 64 * mega, 1500},
		{mega, 64 * mega, 1500}, // the runtime's own least is 4 MB
		{8 * mega, 64 * mega, 700},
		{32 * mega, 64 * mega, 100},
		{1000 * mega, 64 * mega, 100},
		{mega, 4 * mega, 100}, // a small container
	} {
		if got := garbagePercent(c.live, c.floor); got != c.want {
			t.Errorf("with %d bytes alive and a floor of %d: %d percent, want %d", c.live, c.floor, got, c.want)
		}
	}
}
