package node

import "bytes"

// splitInline cuts a line into words, as a shell-like client types them:
// separated by blanks, "…" with \n \r \t \b \a \xHH and \ before any other
// byte, '…' with \' only. Quotes may begin and end inside a word, as in Valkey
// 9.1. The words are written over the line itself, which they never outgrow.
//
// redcon's own reader of such lines knows neither \x nor quotes inside a word
// and copies the line once a word, so it is not used for them.
func splitInline(line []byte, args [][]byte) ([][]byte, error) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
	to := 0
	for i := 0; ; {
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		if i == len(line) {
			return args, nil
		}
		from := to
		for i < len(line) && !isBlank(line[i]) {
			quote := line[i]
			if quote != '"' && quote != '\'' {
				line[to] = quote
				to, i = to+1, i+1
				continue
			}
			for i++; ; {
				if i == len(line) {
					return args, errQuotes
				}
				if line[i] == quote {
					i++
					break
				}
				b, width := unescape(line[i:], quote)
				line[to] = b
				to, i = to+1, i+width
			}
		}
		args = append(args, line[from:to:to])
	}
}

// unescape is the byte that b begins with inside quotes, and how many bytes
// say it.
func unescape(b []byte, quote byte) (value byte, width int) {
	switch {
	case b[0] != '\\' || len(b) < 2:
		return b[0], 1
	case quote == '\'':
		if b[1] == '\'' {
			return '\'', 2
		}
		return '\\', 1
	}
	if b[1] == 'x' && len(b) >= 4 {
		high, low := hexDigit(b[2]), hexDigit(b[3])
		if high >= 0 && low >= 0 {
			return byte(high<<4 | low), 4
		}
	}
	switch b[1] {
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'b':
		return '\b', 2
	case 'a':
		return '\a', 2
	}
	return b[1], 2
}

func hexDigit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b && b <= 'f':
		return int(b-'a') + 10
	case 'A' <= b && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

func isBlank(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' || b == 0 }
