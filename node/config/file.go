package config

import (
	"fmt"
	"strings"
)

// maxFileBytes bounds a configuration file: many times the size of a complete
// one with comments.
const maxFileBytes = 1 << 20

// setting is a directive as somebody wrote it.
type setting struct {
	origin string // where: "node.conf:12"
	name   string
	values []string
}

// parseFile reads the syntax of redis.conf: one directive a line, its name
// and values apart by white space, values with white space in quotes, lines
// that start with # and empty ones without meaning. It reads on after an
// error, so that all can be reported at once.
func parseFile(name, content string) (settings []setting, problems []error) {
	n := 0
	for line := range strings.Lines(content) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		origin := fmt.Sprintf("%s:%d", name, n)
		words, ok := splitWords(line)
		if !ok {
			name := strings.Fields(line)[0] // no more of it: it may hold a password
			problems = append(problems, problem(origin, name, reason(`unbalanced quotes; a value that has a quote in it is written in quotes, as "a\"b"`)))
			continue
		}
		settings = append(settings, setting{origin, words[0], words[1:]})
	}
	return settings, problems
}

// splitWords splits a line at white space. In double quotes the escapes \n,
// \r, \t, \a, \b, \xHH and a backslash before any other character count, in
// single quotes only \'. A closing quote ends its word: text that follows it
// at once makes ok false, as does a quote that is never closed. So does a
// line without a word.
func splitWords(line string) (words []string, ok bool) {
	for {
		line = strings.TrimLeft(line, " \t\r\n\v\f")
		if line == "" {
			return words, len(words) > 0
		}
		var word string
		if word, line, ok = cutWord(line); !ok {
			return nil, false
		}
		words = append(words, word)
	}
}

// cutWord takes the first word off a line that does not start with space.
func cutWord(line string) (word, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case isSpace(c):
			return b.String(), line[i:], true
		case c == '"' || c == '\'':
			length, closed := unquote(&b, line[i+1:], c)
			rest = line[i+1+length:]
			return b.String(), rest, closed && (rest == "" || isSpace(rest[0]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", true
}

// unquote appends the text up to the closing quote and returns how many bytes
// of s that took, the quote included.
func unquote(b *strings.Builder, s string, quote byte) (length int, closed bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i + 1, true
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		case quote == '\'':
			if s[i+1] == '\'' {
				i++
			}
			b.WriteByte(s[i])
		case i+3 < len(s) && s[i+1] == 'x' && isHex(s[i+2]) && isHex(s[i+3]):
			b.WriteByte(hexValue(s[i+2])<<4 | hexValue(s[i+3]))
			i += 3
		default:
			i++
			b.WriteByte(unescape(s[i]))
		}
	}
	return len(s), false
}

// unescape returns the character that \c stands for.
func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'a':
		return '\a'
	case 'b':
		return '\b'
	}
	return c
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func hexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
