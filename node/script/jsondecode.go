package script

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// jsonDecoder reads one JSON text.
type jsonDecoder struct {
	text    string
	at      int
	depth   int
	options *jsonOptions
	err     string // the first error; nothing counts after it
}

// decodeJSON makes a value of text; err is empty when that worked.
func decodeJSON(text string, o *jsonOptions) (v lua.LValue, err string) {
	if len(text) >= 2 && (text[0] == 0 || text[1] == 0) {
		return nil, "JSON parser does not support UTF-16 or UTF-32"
	}
	d := jsonDecoder{text: text, options: o}
	v = d.value()
	if d.skip(); d.err == "" && d.at < len(text) {
		d.expected("the end")
	}
	return v, d.err
}

func (d *jsonDecoder) skip() {
	for d.at < len(d.text) && strings.IndexByte(" \t\r\n", d.text[d.at]) >= 0 {
		d.at++
	}
}

// fail keeps the first error and ends the reading.
func (d *jsonDecoder) fail(format string, args ...any) {
	if d.err == "" {
		d.err = fmt.Sprintf(format, args...)
	}
}

// expected says what should be where something else is.
func (d *jsonDecoder) expected(what string) {
	if d.err == "" {
		d.fail("Expected %s but found %s at character %d", what, d.found(), d.at+1)
	}
}

// found names the token at hand.
func (d *jsonDecoder) found() string {
	if d.at >= len(d.text) {
		return "T_END"
	}
	switch b := d.text[d.at]; {
	case b == '{':
		return "T_OBJ_BEGIN"
	case b == '}':
		return "T_OBJ_END"
	case b == '[':
		return "T_ARR_BEGIN"
	case b == ']':
		return "T_ARR_END"
	case b == '"':
		return "T_STRING"
	case b == ':':
		return "T_COLON"
	case b == ',':
		return "T_COMMA"
	case b == '-' || '0' <= b && b <= '9':
		return "T_NUMBER"
	case strings.HasPrefix(d.text[d.at:], "true"), strings.HasPrefix(d.text[d.at:], "false"):
		return "T_BOOLEAN"
	case strings.HasPrefix(d.text[d.at:], "null"):
		return "T_NULL"
	}
	return "invalid token"
}

func (d *jsonDecoder) take(b byte) bool {
	if d.skip(); d.err == "" && d.at < len(d.text) && d.text[d.at] == b {
		d.at++
		return true
	}
	return false
}

func (d *jsonDecoder) value() lua.LValue {
	d.skip()
	if d.err != "" || d.at >= len(d.text) {
		d.expected("value")
		return lua.LNil
	}
	rest := d.text[d.at:]
	switch {
	case rest[0] == '"':
		return lua.LString(d.string())
	case rest[0] == '{':
		return d.nested(d.object)
	case rest[0] == '[':
		return d.nested(d.array)
	case strings.HasPrefix(rest, "true"):
		d.at += 4
		return lua.LTrue
	case strings.HasPrefix(rest, "false"):
		d.at += 5
		return lua.LFalse
	case strings.HasPrefix(rest, "null"):
		d.at += 4
		return jsonNull
	}
	return d.number()
}

func (d *jsonDecoder) nested(read func(*lua.LTable)) lua.LValue {
	d.at++
	if d.depth++; d.depth > d.options.decodeDepth {
		d.fail("Found too many nested data structures (%d)", d.depth)
		return lua.LNil
	}
	t := &lua.LTable{Metatable: lua.LNil}
	read(t)
	d.depth--
	return t
}

func (d *jsonDecoder) object(t *lua.LTable) {
	if d.take('}') {
		return
	}
	for d.err == "" {
		if d.skip(); d.at >= len(d.text) || d.text[d.at] != '"' {
			d.expected("object key string")
			return
		}
		key := d.string()
		if !d.take(':') {
			d.expected("colon")
			return
		}
		t.RawSetString(key, d.value())
		if d.take('}') {
			return
		}
		if !d.take(',') {
			d.expected("comma or object end")
		}
	}
}

func (d *jsonDecoder) array(t *lua.LTable) {
	if d.take(']') {
		return
	}
	for d.err == "" {
		t.Append(d.value())
		if d.take(']') {
			return
		}
		if !d.take(',') {
			d.expected("comma or array end")
		}
	}
}

// number reads what C's strtod does, as far as the options allow it.
func (d *jsonDecoder) number() lua.LValue {
	end := d.at
	for end < len(d.text) && strings.IndexByte("+-.0123456789abcdefABCDEFxXinIntypNTYP", d.text[end]) >= 0 {
		end++
	}
	text := d.text[d.at:end]
	digits := strings.TrimLeft(text, "+-")
	if digits == "" || text[0] == '+' {
		d.expected("value")
		return lua.LNil
	}
	odd := digits[0] < '0' || digits[0] > '9' || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' && digits[1] != 'e' && digits[1] != 'E'
	if odd && !d.options.decodeInvalid {
		d.fail("Expected value but found invalid number at character %d", d.at+1)
		return lua.LNil
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'x' && !strings.ContainsAny(digits, "pP") {
		text += "p0" // Go wants an exponent in hexadecimal, C does not
	}
	f, err := strconv.ParseFloat(text, 64)
	if ranged, ok := err.(*strconv.NumError); err != nil && !(ok && ranged.Err == strconv.ErrRange) {
		d.fail("Expected value but found invalid token at character %d", d.at+1)
		return lua.LNil
	}
	d.at = end
	return lua.LNumber(f)
}

// string reads a string, whose quote is at hand.
func (d *jsonDecoder) string() string {
	start := d.at
	wrong := func(what string) string {
		d.fail("Expected value but found %s at character %d", what, start+1)
		return ""
	}
	d.at++
	var made []byte
	from := d.at
	for ; d.at < len(d.text); d.at++ {
		switch d.text[d.at] {
		case '"':
			plain := d.text[from:d.at]
			d.at++
			if made == nil {
				return plain
			}
			return string(append(made, plain...))
		case '\\':
			made = append(made, d.text[from:d.at]...)
			if d.at++; d.at >= len(d.text) {
				return wrong("unexpected end of string")
			}
			switch b := d.text[d.at]; b {
			case '"', '\\', '/':
				made = append(made, b)
			case 'b':
				made = append(made, '\b')
			case 't':
				made = append(made, '\t')
			case 'n':
				made = append(made, '\n')
			case 'f':
				made = append(made, '\f')
			case 'r':
				made = append(made, '\r')
			case 'u':
				r, n := unescape(d.text[d.at-1:])
				if n == 0 {
					return wrong("invalid unicode escape code")
				}
				made = utf8.AppendRune(made, r)
				d.at += n - 2
			default:
				return wrong("invalid escape code")
			}
			from = d.at + 1
		}
	}
	return wrong("unexpected end of string")
}

// unescape reads \uXXXX, or two that are a surrogate pair; n is its length, 0
// when it is neither.
func unescape(s string) (r rune, n int) {
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		u, err := strconv.ParseUint(s[2:6], 16, 32)
		return rune(u), err == nil
	}
	high, ok := unit(s)
	switch {
	case !ok || 0xdc00 <= high && high < 0xe000:
		return 0, 0
	case high < 0xd800 || high >= 0xe000:
		return high, 6
	}
	low, ok := unit(s[6:])
	if r = utf16.DecodeRune(high, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}
