package rdb

import (
	"hash/crc64"
	"math/rand/v2"
	"testing"
)

// Every length and cut gives what package crc64 does,
// which inverts before and after.
func TestChecksumOfPieces(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	table := crc64.MakeTable(jones)
	b := make([]byte, 5000)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	for range 500 {
		p := b[rng.IntN(2000):]
		p = p[:rng.IntN(len(p))]
		cut := rng.IntN(len(p) + 1)
		if got, want := updated(checksum(p[:cut]), p[cut:]), ^crc64.Update(^uint64(0), table, p); got != want {
			t.Fatalf("%d bytes cut at %d: %#x, not %#x", len(p), cut, got, want)
		}
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := make([]byte, 64<<10)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		checksum(data)
	}
}
