//go:build linux

package load

import "math/bits"

// pairs is "00" to "99".
var pairs = func() (p [200]byte) {
	for i := range 100 {
		p[2*i], p[2*i+1] = byte('0'+i/10), byte('0'+i%10)
	}
	return p
}()

// putDigits fills dst with a decimal number, leading zeros included; what does not fit is left out on the left.
func putDigits(dst []byte, n uint64) {
	at := len(dst)
	for ; at >= 2; at -= 2 {
		p := 2 * (n % 100)
		n /= 100
		dst[at-1], dst[at-2] = pairs[p+1], pairs[p]
	}
	if at == 1 {
		dst[0] = byte('0' + n%10)
	}
}

// Random makes numbers that follow from a seed, a few nanoseconds each.
type Random struct{ state uint64 }

// NewRandom starts a sequence.
func NewRandom(seed uint64) *Random { return &Random{seed*0x9e3779b97f4a7c15 + 0x7a736574} }

// next is a step of a Weyl sequence, mixed by multiplying with itself.
func (r *Random) next() uint64 {
	r.state += 0xa0761d6478bd642f
	high, low := bits.Mul64(r.state, r.state^0xe7037ed1a0b428db)
	return high ^ low
}

// Below is a number in [0, n).
func (r *Random) Below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}
