package node

// whole takes the command apart that b begins with, in one go: almost every one
// arrives whole, and then its headers need no second look. words are appended
// to. size is 0 when the command is not all there, is wrong, or is unusual
// (inline, empty, of many words): frame finds out which.
func whole(b []byte, words [][]byte, bulkBytes int64) (_ [][]byte, size int) {
	if len(b) == 0 || b[0] != '*' {
		return nil, 0
	}
	n, at := lengthIn(b, 1)
	if n == 0 || n > argsKept {
		return nil, 0
	}
	for range n {
		if at == 0 || at >= len(b) || b[at] != '$' {
			return nil, 0
		}
		length, from := lengthIn(b, at+1)
		to := from + length
		if from == 0 || int64(length) > bulkBytes || to+2 > len(b) || b[to] != '\r' || b[to+1] != '\n' {
			return nil, 0
		}
		words = append(words, b[from:to:to])
		at = to + 2
	}
	return words, at
}

// lengthIn reads the number at b[at:], of a few digits, and its line's end.
// next is behind that, or 0 when it is anything else.
func lengthIn(b []byte, at int) (n, next int) {
	const digits = 9
	start := at
	for ; at < len(b) && b[at]-'0' <= 9; at++ {
		n = n*10 + int(b[at]-'0')
	}
	width := at - start
	if width == 0 || width > digits || width > 1 && b[start] == '0' || at+1 >= len(b) || b[at] != '\r' || b[at+1] != '\n' {
		return 0, 0
	}
	return n, at + 2
}
