package geo

// alphabet is the 32 digits of a geohash.
const alphabet = "0123456789bcdefghjkmnpqrstuvwxyz"

// hashDigits is how many digits Hash has.
const hashDigits = 11

// Hash is the standard geohash of a place, as geohash.org and its libraries
// have it: eleven digits of five bits each. Scores end where Web Mercator does,
// geohashes at the poles, so the place is coded anew. Its 52 bits make ten
// digits; the eleventh is always 0.
func Hash(p Place) string {
	const poles = 90.0
	bits := interleave(fraction(p.Lat, poles, steps), fraction(p.Lon, MaxLon, steps))
	var digits [hashDigits]byte
	for i := range digits {
		digit := uint64(0)
		if shift := 2*steps - 5*(i+1); shift >= 0 {
			digit = bits >> shift & 31
		}
		digits[i] = alphabet[digit]
	}
	return string(digits[:])
}
