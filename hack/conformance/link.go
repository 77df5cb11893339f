package main

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// message is one line of the shim: a verb and its operands.
type message struct {
	verb string
	args []string
}

// arg is the i-th operand; empty when there is none.
func (m message) arg(i int) string {
	if i < len(m.args) {
		return m.args[i]
	}
	return ""
}

// parseMessage reads a line: the verb, then each operand in base64 with a "."
// behind it, so that an empty one is still a word.
func parseMessage(line string) (message, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return message{}, fmt.Errorf("an empty line")
	}
	m := message{verb: words[0]}
	for _, w := range words[1:] {
		text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(w, "."))
		if err != nil {
			return message{}, fmt.Errorf("operand %q: %w", w, err)
		}
		m.args = append(m.args, string(text))
	}
	return m, nil
}

// tclList writes words as one Tcl list. A word must not hold braces or
// backslashes; none of what is sent to the shim does.
func tclList(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "{" + w + "}"
	}
	return strings.Join(quoted, " ")
}
