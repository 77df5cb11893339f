package prefetch

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// Any address will do, and nothing changes.
func TestLinesIsOnlyAHint(t *testing.T) {
	b := []byte("some bytes")
	lines := []*byte{&b[0], &b[len(b)-1], nil}
	kept := append([]*byte(nil), lines...)
	for n := range len(lines) + 1 {
		Lines(lines[:n])
	}
	Lines(nil)
	if string(b) != "some bytes" {
		t.Errorf("the bytes became %q", b)
	}
	for i := range lines {
		if lines[i] != kept[i] {
			t.Errorf("address %d changed", i)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		var on [2]*byte
		on[0], on[1] = &b[0], &b[1]
		Lines(on[:])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkFarApart reads bytes of an array that no cache holds, sixteen that depend on
// each other as lookups do, at places known before: what waiting for all of them at once is worth.
func BenchmarkFarApart(b *testing.B) {
	const size, batch = 256 << 20, 16
	array := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		array[i] = 1
	}
	places := make([]uint32, 1<<16)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range places {
		places[i] = uint32(random.IntN(size))
	}
	for name, ahead := range map[string]bool{"one by one": false, "fetched before": true} {
		b.Run(name, func(b *testing.B) {
			last := 0
			for n := 0; n < b.N; n += batch {
				some := places[n%len(places):][:batch]
				if ahead {
					var lines [batch]*byte
					for i, at := range some {
						lines[i] = &array[at]
					}
					Lines(lines[:])
				}
				for _, at := range some {
					last = int(array[(int(at)+last)%size]) // waits for the one before
				}
			}
			sink = unsafe.Pointer(&array[last])
		})
	}
}

var sink unsafe.Pointer
