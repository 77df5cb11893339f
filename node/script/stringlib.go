package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/pm"
)

func (m *machine) stringFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"rep": func(l *lua.LState) int {
			text, n := l.CheckString(1), l.CheckInt(2)
			if n <= 0 || text == "" {
				l.Push(lua.LString(""))
				return 1
			}
			m.guard.charge(l, int(min(float64(len(text))*float64(n), math.MaxInt32)))
			l.Push(lua.LString(strings.Repeat(text, n)))
			return 1
		},
		"format": m.format,
		"find":   func(l *lua.LState) int { return m.find(l, true) },
		"match":  func(l *lua.LState) int { return m.find(l, false) },
		"gmatch": m.gmatch,
		"gfind":  m.gmatch,
		"gsub":   m.gsub,
		// Something that nothing loads.
		"dump": func(l *lua.LState) int {
			l.CheckFunction(1)
			l.Push(lua.LString("\x1bLua"))
			return 1
		},
	}
}

// matches finds the first match of a pattern from offset on; nil when there
// is none.
func (m *machine) matches(l *lua.LState, pattern, text string, offset int) *pm.MatchData {
	// The library copies the text, and a match may recurse for each byte.
	m.guard.charge(l, len(text)/16)
	found, err := pm.Find(pattern, []byte(text), offset, 1)
	if err != nil {
		l.RaiseError("%s", err.Error())
	}
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// capture is capture i of a match, 0 the first; without any the whole is one.
func capture(m *pm.MatchData, text string, i int) lua.LValue {
	at := 2 * (i + 1)
	if m.CaptureLength() == 2 {
		at = 0
	}
	if m.IsPosCapture(at) {
		return lua.LNumber(m.Capture(at))
	}
	return lua.LString(text[m.Capture(at):m.Capture(at+1)])
}

func captures(m *pm.MatchData) int { return max(1, m.CaptureLength()/2-1) }

func (m *machine) find(l *lua.LState, positions bool) int {
	text, pattern := l.CheckString(1), l.CheckString(2)
	from := l.OptInt(3, 1)
	if from < 0 {
		from += len(text) + 1
	}
	if from = max(from, 1) - 1; from > len(text) {
		from = len(text)
	}
	if positions && (lua.LVAsBool(l.Get(4)) || !strings.ContainsAny(pattern, "^$*+?.([%-")) {
		if i := strings.Index(text[from:], pattern); i >= 0 {
			l.Push(lua.LNumber(from + i + 1))
			l.Push(lua.LNumber(from + i + len(pattern)))
			return 2
		}
		l.Push(lua.LNil)
		return 1
	}
	found := m.matches(l, pattern, text, from)
	if found == nil {
		l.Push(lua.LNil)
		return 1
	}
	n := 0
	if positions {
		l.Push(lua.LNumber(found.Capture(0) + 1))
		l.Push(lua.LNumber(found.Capture(1)))
		if n = 2; found.CaptureLength() == 2 {
			return n
		}
	}
	for i := range captures(found) {
		l.Push(capture(found, text, i))
		n++
	}
	return n
}

func (m *machine) gmatch(l *lua.LState) int {
	text, pattern := l.CheckString(1), l.CheckString(2)
	at := 0
	l.Push(l.NewFunction(func(l *lua.LState) int {
		if at > len(text) {
			return 0
		}
		found := m.matches(l, pattern, text, at)
		if found == nil {
			at = len(text) + 1
			return 0
		}
		if at = found.Capture(1); found.Capture(1) == found.Capture(0) {
			at++
		}
		for i := range captures(found) {
			l.Push(capture(found, text, i))
		}
		return captures(found)
	}))
	return 1
}

func (m *machine) gsub(l *lua.LState) int {
	text, pattern, replacement := l.CheckString(1), l.CheckString(2), l.Get(3)
	most := l.OptInt(4, math.MaxInt)
	switch replacement.(type) {
	case lua.LString, lua.LNumber, *lua.LTable, *lua.LFunction:
	default:
		l.ArgError(3, "string/function/table expected")
	}
	pattern, anchored := strings.CutPrefix(pattern, "^")
	if anchored {
		pattern, most = "^"+pattern, min(most, 1)
	}
	var made []byte
	add := func(part string) {
		if len(made)+len(part) > cap(made) {
			m.guard.charge(l, 2*len(made)+len(part))
		}
		made = append(made, part...)
	}
	at, n := 0, 0
	for n < most && at <= len(text) {
		found := m.matches(l, pattern, text, at)
		if found == nil {
			break
		}
		n++
		from, to := found.Capture(0), found.Capture(1)
		add(text[at:from])
		m.replace(l, replacement, found, text, add)
		at = to
		if to == from {
			if at < len(text) {
				add(text[at : at+1])
			}
			at++
		}
		if m.guard.ticks++; m.guard.Done() != nil {
			l.RaiseError("%s", m.guard.Err().Error())
		}
	}
	if at < len(text) {
		add(text[at:])
	}
	l.Push(lua.LString(made))
	l.Push(lua.LNumber(n))
	return 2
}

// replace adds what stands for one match.
func (m *machine) replace(l *lua.LState, by lua.LValue, found *pm.MatchData, text string, add func(string)) {
	whole := text[found.Capture(0):found.Capture(1)]
	var value lua.LValue
	switch by := by.(type) {
	case *lua.LTable:
		value = l.GetTable(by, capture(found, text, 0))
	case *lua.LFunction:
		l.Push(by)
		for i := range captures(found) {
			l.Push(capture(found, text, i))
		}
		l.Call(captures(found), 1)
		value = l.Get(-1)
		l.Pop(1)
	default:
		template, _ := textOf(by)
		for {
			plain, rest, more := strings.Cut(template, "%")
			add(plain)
			if !more || rest == "" {
				return
			}
			switch c := rest[0]; {
			case c == '0':
				add(whole)
			case '1' <= c && c <= '9':
				if int(c-'1') >= captures(found) {
					l.RaiseError("invalid capture index")
				}
				part, _ := textOf(capture(found, text, int(c-'1')))
				add(part)
			default:
				add(rest[:1])
			}
			template = rest[1:]
		}
	}
	if !lua.LVAsBool(value) {
		add(whole)
		return
	}
	part, ok := textOf(value)
	if !ok {
		l.RaiseError("invalid replacement value (a %s)", value.Type())
	}
	add(part)
}

// format is C's printf, as far as Lua has it.
func (m *machine) format(l *lua.LState) int {
	template := l.CheckString(1)
	var made strings.Builder
	add := func(text string) {
		if made.Len()+len(text) > made.Cap() {
			m.guard.charge(l, 2*made.Len()+len(text))
		}
		made.WriteString(text)
	}
	argument := 1
	for {
		plain, rest, more := strings.Cut(template, "%")
		add(plain)
		if !more {
			break
		}
		if strings.HasPrefix(rest, "%") {
			add("%")
			template = rest[1:]
			continue
		}
		n := 0
		for n < len(rest) && strings.IndexByte("-+ #0", rest[n]) >= 0 {
			n++
		}
		flags := rest[:n]
		digits := func() string {
			from := n
			for n < len(rest) && n-from < 2 && '0' <= rest[n] && rest[n] <= '9' {
				n++
			}
			return rest[from:n]
		}
		width := digits()
		precision := ""
		if n < len(rest) && rest[n] == '.' {
			n++
			precision = "." + digits()
		}
		if n >= len(rest) || len(flags) > 5 || '0' <= rest[n] && rest[n] <= '9' {
			l.RaiseError("invalid format (width or precision too long)")
		}
		argument++
		spec := "%" + flags + width + precision
		switch verb := rest[n]; verb {
		case 'c':
			add(fmt.Sprintf("%"+flags+width+"s", string([]byte{byte(l.CheckInt(argument))})))
		case 'd', 'i':
			add(fmt.Sprintf(spec+"d", int64(l.CheckNumber(argument))))
		case 'u':
			add(fmt.Sprintf(spec+"d", uint64(int64(l.CheckNumber(argument)))))
		case 'o', 'x', 'X':
			add(fmt.Sprintf(spec+string(verb), uint64(int64(l.CheckNumber(argument)))))
		case 'e', 'E', 'f', 'g', 'G':
			add(formatFloat(spec, precision, verb, float64(l.CheckNumber(argument))))
		case 'q':
			add(quoted(l.CheckString(argument)))
		case 's':
			value := l.CheckAny(argument)
			text, ok := textOf(value)
			if !ok {
				text = l.ToStringMeta(value).String()
			}
			if precision == "" && len(text) >= 100 {
				add(text)
				break
			}
			if limit, err := strconv.Atoi(strings.TrimPrefix(precision, ".")); precision != "" && (err != nil || limit < len(text)) {
				text = text[:limit]
			}
			add(pad(text, flags, width))
		default:
			l.RaiseError("invalid option '%%%c' to 'format'", verb)
		}
		template = rest[n+1:]
	}
	l.Push(lua.LString(made.String()))
	return 1
}

// pad pads by bytes, where Go counts characters.
func pad(text, flags, width string) string {
	n, _ := strconv.Atoi(width)
	if len(text) >= n {
		return text
	}
	fill := strings.Repeat(" ", n-len(text))
	if strings.Contains(flags, "-") {
		return text + fill
	}
	return fill + text
}

func formatFloat(spec, precision string, verb byte, f float64) string {
	if math.IsInf(f, 0) || f != f {
		return fmt.Sprintf(strings.ReplaceAll(strings.TrimSuffix(spec, precision), "0", "")+"s", general(f, 14))
	}
	if precision == "" {
		spec += ".6"
	} else if precision == "." {
		spec += "0"
	}
	return fmt.Sprintf(spec+string(verb), f)
}

func quoted(s string) string {
	var q strings.Builder
	q.WriteByte('"')
	for i := range len(s) {
		switch b := s[i]; b {
		case '"', '\\', '\n':
			q.WriteByte('\\')
			q.WriteByte(b)
		case '\r':
			q.WriteString(`\r`)
		case 0:
			q.WriteString(`\000`)
		default:
			q.WriteByte(b)
		}
	}
	q.WriteByte('"')
	return q.String()
}
