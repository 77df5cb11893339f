package persist

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// A Manifest says which files of a folder together are the data: a base, and what was appended since, in order. Its
// text has a line for each file,
//
//	file appendonly.aof.2.base.rdb seq 2 type b
//	file appendonly.aof.4.incr.aof seq 4 type i
//
// of names and values in any order, where a value with blanks or quotes in it is quoted. Type b is the base, i what was
// appended, h a file of the past that is to be deleted. Names that are not known here are kept out; lines that begin
// with # are comments. It is that of Redis from 7.0 and Valkey.
type Manifest struct {
	Base *File  // nil when there is none yet
	Incr []File // ascending
	Past []File
}

// A File is one of a Manifest's.
type File struct {
	Name string // within the folder
	Seq  int64  // counts up, for each type by itself
}

// ErrManifest is for a text that is not a manifest.
var ErrManifest = errors.New("persist: bad manifest")

const (
	manifestBytes = 1 << 20 // a manifest of thousands of files
	typeBase      = "b"
	typeIncr      = "i"
	typePast      = "h"
)

// ParseManifest reads a manifest's text. The error wraps ErrManifest and says which line is wrong and why.
func ParseManifest(text string) (*Manifest, error) {
	if len(text) > manifestBytes {
		return nil, fmt.Errorf("%w: of %d bytes", ErrManifest, len(text))
	}
	m := &Manifest{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := m.add(line); err != nil {
			return nil, fmt.Errorf("%w: line %d: %s", ErrManifest, number, err)
		}
	}
	if m.Base == nil && len(m.Incr) == 0 {
		return nil, fmt.Errorf("%w: it names no file", ErrManifest)
	}
	return m, nil
}

// add takes in a line.
func (m *Manifest) add(line string) error {
	words, err := split(line)
	if err != nil {
		return err
	}
	if len(words)%2 != 0 {
		return errors.New("a name without a value")
	}
	var f File
	kind, seq := "", ""
	for i := 0; i < len(words); i += 2 {
		switch value := words[i+1]; words[i] {
		case "file":
			f.Name = value
		case "seq":
			seq = value
		case "type":
			kind = value
		}
	}
	if f.Name == "" || f.Name == "." || f.Name == ".." || filepath.Base(f.Name) != f.Name || strings.ContainsAny(f.Name, "\x00\n\r") {
		return fmt.Errorf("%q is not the name of a file in this folder", f.Name)
	}
	if f.Seq, err = strconv.ParseInt(seq, 10, 64); err != nil || f.Seq < 0 {
		return fmt.Errorf("seq %q is not a number", seq)
	}
	switch kind {
	case typeBase:
		if m.Base != nil {
			return errors.New("a second base")
		}
		m.Base = &f
	case typeIncr:
		if n := len(m.Incr); n > 0 && f.Seq <= m.Incr[n-1].Seq {
			return fmt.Errorf("seq %d after %d", f.Seq, m.Incr[n-1].Seq)
		}
		m.Incr = append(m.Incr, f)
	case typePast:
		m.Past = append(m.Past, f)
	default:
		return fmt.Errorf("type %q is not known", kind)
	}
	return nil
}

// String is the manifest's text.
func (m *Manifest) String() string {
	var text strings.Builder
	line := func(f File, kind string) {
		fmt.Fprintf(&text, "file %s seq %d type %s\n", quoted(f.Name), f.Seq, kind)
	}
	if m.Base != nil {
		line(*m.Base, typeBase)
	}
	for _, f := range m.Past {
		line(f, typePast)
	}
	for _, f := range m.Incr {
		line(f, typeIncr)
	}
	return text.String()
}

// quoted is a name as a word of a line.
func quoted(name string) string {
	if strings.ContainsAny(name, " \t\"'\\") {
		return strconv.Quote(name)
	}
	return name
}

// split takes a line apart at blanks outside of quotes.
func split(line string) (words []string, err error) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		word := ""
		switch line[0] {
		case '"':
			prefix, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, errors.New("unbalanced quotes")
			}
			if word, err = strconv.Unquote(prefix); err != nil {
				return nil, errors.New("unbalanced quotes")
			}
			line = line[len(prefix):]
		case '\'':
			end := strings.IndexByte(line[1:], '\'')
			if end < 0 {
				return nil, errors.New("unbalanced quotes")
			}
			word, line = line[1:1+end], line[2+end:]
		default:
			end := strings.IndexAny(line, " \t")
			if end < 0 {
				end = len(line)
			}
			word, line = line[:end], line[end:]
		}
		words = append(words, word)
	}
	return words, nil
}
