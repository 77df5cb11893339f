package script

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Program is a compiled script. It may be run by many goroutines at once.
type Program struct {
	Subject
	Source   string
	proto    *lua.FunctionProto
	compiled int64 // bytes it takes, about
}

func (p *Program) text() string { return p.Source }

// push implements Runnable.
func (p *Program) push(m *machine, r *Run) int {
	m.globals.RawSetString("KEYS", m.words(r.Keys))
	m.globals.RawSetString("ARGV", m.words(r.Args))
	m.l.Push(m.function(p))
	return 0
}

// chunk is the name of a script in messages.
const chunk = "user_script"

// SHA is the name of a script: its SHA-1 in hex.
func SHA(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// Compile compiles a script. Its error is the reply's text.
func Compile(source string) (*Program, error) {
	p := &Program{Subject: Subject{Name: SHA(source)}, Source: source}
	body := source
	if strings.HasPrefix(source, "#!") {
		line, rest, found := strings.Cut(source, "\n")
		if !found {
			return nil, fmt.Errorf("ERR Invalid script shebang")
		}
		var err error
		if p.Flags, err = shebang(line); err != nil {
			return nil, err
		}
		body = "\n" + rest // lines keep their numbers
	}
	proto, err := compile(body, chunk)
	if err != nil {
		return nil, fmt.Errorf("ERR Error compiling script (new function): %w", err)
	}
	p.proto, p.compiled = proto, compiledBytes(proto)
	return p, nil
}

// shebang reads a first line such as "#!lua flags=no-writes,allow-oom".
func shebang(line string) (f Flags, err error) {
	words := strings.Fields(line)
	if engine := words[0][2:]; engine != "lua" {
		return f, fmt.Errorf("ERR Unexpected engine in script shebang: %s", words[0])
	}
	f.Given = true
	for _, word := range words[1:] {
		list, ok := strings.CutPrefix(word, "flags=")
		if !ok {
			return f, fmt.Errorf("ERR Unknown lua shebang option: %s", word)
		}
		for name := range strings.SplitSeq(list, ",") {
			if name != "" && !f.set(name) {
				return f, fmt.Errorf("ERR Unexpected flag in script shebang: %s", name)
			}
		}
	}
	return f, nil
}

// compile parses, rewrites and compiles. What it returns, called with the
// state's hooks, is a function that runs the chunk.
func compile(source, name string) (proto *lua.FunctionProto, err error) {
	defer func() {
		// The compiler panics where a chunk exceeds what it can express.
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", name, r)
		}
	}()
	if strings.HasPrefix(source, "\x1b") {
		return nil, fmt.Errorf("%s: bytecode is not allowed", name)
	}
	stmts, err := parse.Parse(bytes.NewReader([]byte(source)), name)
	if err != nil {
		if syntax, ok := err.(*parse.Error); ok {
			return nil, syntaxError(name, syntax)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var r rewriter
	r.block(stmts)
	if r.tooDeep {
		return nil, fmt.Errorf("%s: chunk has too many syntax levels", name)
	}
	body := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: stmts}
	last := 1 + strings.Count(source, "\n")
	body.SetLine(1)
	body.SetLastLine(last)
	hooks := &ast.LocalAssignStmt{Names: []string{hookConcat, hookSet, hookTable}, Exprs: []ast.Expr{at(&ast.Comma3Expr{}, 1)}}
	hooks.SetLine(1)
	hooks.SetLastLine(1)
	give := &ast.ReturnStmt{Exprs: []ast.Expr{body}}
	give.SetLine(1)
	give.SetLastLine(last)
	if proto, err = lua.Compile([]ast.Stmt{hooks, give}, name); err != nil {
		return nil, err
	}
	// The table "arg" is for functions with "...", as Lua 5.0 had it; to make
	// one costs most of a short run, and a chunk has none.
	for _, chunk := range proto.FunctionPrototypes {
		chunk.IsVarArg &^= lua.VarArgNeedsArg
	}
	return proto, nil
}

func syntaxError(name string, e *parse.Error) error {
	if e.Pos.Line == parse.EOF {
		return fmt.Errorf("%s: %s near '<eof>'", name, e.Message)
	}
	return fmt.Errorf("%s:%d: %s near '%s'", name, e.Pos.Line, e.Message, e.Token)
}
