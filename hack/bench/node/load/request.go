//go:build linux

package load

import (
	"fmt"
	"strings"
)

// Template is a command as it goes over the wire, with places of fixed width whose digits differ from one request
// to the next.
type Template struct {
	text   []byte
	fields []field
}

// Arg is an argument of a command.
type Arg struct {
	text   string
	fields []field // places relative to the text
}

type field struct {
	at, width int
	kind      fieldKind
	add       int // of keys, members and ranks: added to the number
	span      int // of ranks: how many there are to choose from
}

type fieldKind uint8

const (
	keyNumber fieldKind = iota
	memberNumber
	randomDigits
	randomRank // also what lastRank refers to
	lastRank
)

const numberWidth = 12

// Text is an argument that is always the same.
func Text(s string) Arg { return Arg{text: s} }

// Key is the key of the set that is picked, or of the one so many after it.
func Key(prefix string, after int) Arg {
	return Arg{prefix + strings.Repeat("0", numberWidth), []field{{at: len(prefix), width: numberWidth, kind: keyNumber, add: after}}}
}

// Member is the member that is picked, or the one so many after it.
func Member(prefix string, after int) Arg {
	return Arg{prefix + strings.Repeat("0", numberWidth), []field{{at: len(prefix), width: numberWidth, kind: memberNumber, add: after}}}
}

// Decimal is a prefix and random digits, as in "0.0317…": each the same number of bytes.
func Decimal(prefix string, digits int) Arg {
	return Arg{prefix + strings.Repeat("0", digits), []field{{at: len(prefix), width: digits, kind: randomDigits}}}
}

// Ranks are two arguments: a first rank, random among the span ranks from the lowest, and the last rank, count-1 above it.
// All have the same number of digits, as integers are not accepted with leading zeros.
func Ranks(lowest, span, count int) (first, last Arg) {
	width := len(fmt.Sprint(lowest))
	if len(fmt.Sprint(lowest+span-1+count-1)) != width {
		panic("load: ranks of different widths")
	}
	zeros := strings.Repeat("0", width)
	return Arg{zeros, []field{{width: width, kind: randomRank, add: lowest, span: span}}},
		Arg{zeros, []field{{width: width, kind: lastRank, add: count - 1}}}
}

// Command makes the template of a command.
func Command(args ...Arg) Template {
	t := Template{text: fmt.Appendf(nil, "*%d\r\n", len(args))}
	for _, a := range args {
		t.text = fmt.Appendf(t.text, "$%d\r\n", len(a.text))
		for _, f := range a.fields {
			f.at += len(t.text)
			t.fields = append(t.fields, f)
		}
		t.text = fmt.Appendf(t.text, "%s\r\n", a.text)
	}
	return t
}

// fill writes the digits of one request, which is a copy of the template's text.
func (t *Template) fill(request []byte, set, member int, r *Random) {
	rank := 0
	for i := range t.fields {
		f := &t.fields[i]
		var n uint64
		switch f.kind {
		case keyNumber:
			n = uint64(set + f.add)
		case memberNumber:
			n = uint64(member + f.add)
		case randomDigits:
			n = r.next()
		case randomRank:
			rank = r.Below(f.span) + f.add
			n = uint64(rank)
		case lastRank:
			n = uint64(rank + f.add)
		}
		putDigits(request[f.at:f.at+f.width], n)
	}
}

// repeat gives the text of so many requests.
func (t *Template) repeat(times int) []byte {
	b := make([]byte, 0, times*len(t.text))
	for range times {
		b = append(b, t.text...)
	}
	return b
}
