package rdb

import (
	"encoding/hex"
	"testing"

	"zset.dev/operator/zset"
)

// What Read accepts it has understood: the set is the same once written and
// read again. What it does not accept it refuses with an error, and without a
// set. The checksum is put right, or fuzzing would not get past it.
func FuzzRead(f *testing.F) {
	for _, payload := range []string{valkeyCompressed, redisPlain, valkeyPairs} {
		b, err := hex.DecodeString(payload)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:len(b)-footerBytes])
	}
	f.Add(ziplistOf("\x01a", "\xf1", "\x01b", "\xfe\x80", "\xfe\x05", "\xc0\x00\x80"))
	f.Add([]byte("\x03\x03\x01a\x032.5\x01b\xfe\xc0\x07\x03-10"))
	f.Fuzz(func(t *testing.T, value []byte) {
		packed, listed := tuned(t, 1000, 1<<20), tuned(t, 0, 64)
		s, err := Read(sealed(10, value), nil, packed)
		if err != nil {
			if s != nil {
				t.Fatal("an error with a set")
			}
			return
		}
		if s.Len() == 0 {
			t.Fatal("an empty set")
		}
		for _, tuning := range []*zset.Tuning{packed, listed} {
			back, err := Read(Append(nil, s), nil, tuning)
			if err != nil {
				t.Fatal(err)
			}
			if text(back) != text(s) {
				t.Fatalf("got\n%swant\n%s", text(back), text(s))
			}
			s = back
		}
	})
}
