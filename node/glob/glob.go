package glob

// Match reports whether the whole of s matches pattern.
func Match(pattern, s []byte) bool {
	// Only the last star can matter: once what follows it fails, letting an
	// earlier star take more could not succeed either. That keeps the cost
	// bounded by the product of the lengths.
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, mark = p, i
				p++
				continue
			}
			if next, ok := matchOne(pattern, p, s[i]); ok {
				p = next
				i++
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		p, i = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches the one-byte element of pattern that starts at p (which is
// not a star) against b, and returns where the next element starts.
func matchOne(pattern []byte, p int, b byte) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return matchClass(pattern, p+1, b)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, pattern[p] == b
}

// matchClass matches b against the class whose first byte is at p. A class
// without its closing bracket ends with the pattern, as in real servers.
func matchClass(pattern []byte, p int, b byte) (next int, ok bool) {
	negate := p < len(pattern) && pattern[p] == '^'
	if negate {
		p++
	}
	match := false
	for ; p < len(pattern) && pattern[p] != ']'; p++ {
		switch {
		case pattern[p] == '\\' && p+1 < len(pattern):
			p++
			match = match || pattern[p] == b
		case p+2 < len(pattern) && pattern[p+1] == '-':
			low, high := min(pattern[p], pattern[p+2]), max(pattern[p], pattern[p+2])
			p += 2
			match = match || low <= b && b <= high
		default:
			match = match || pattern[p] == b
		}
	}
	if p < len(pattern) {
		p++ // the closing bracket
	}
	return p, match != negate
}

// MatchesAll reports whether pattern is the one that matches everything, so a
// caller may skip the matching.
func MatchesAll(pattern []byte) bool {
	return len(pattern) == 1 && pattern[0] == '*'
}
