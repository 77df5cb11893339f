package script

import "github.com/yuin/gopher-lua/ast"

// The names under which a chunk finds the functions that stand for operations
// without a hook. No script can write such a name.
const (
	hookConcat = "(concat)" // (a, b, ...) → a..b..…
	hookSet    = "(set)"    // (object, key, value): object[key] = value
	hookTable  = "(table)"  // (table, k, v, ...) → the table with these
)

// maxNesting bounds the syntax tree, over which the compiler recurses.
const maxNesting = 1000

// rewriter walks a syntax tree and replaces what could allocate without
// bound by calls of the hooks.
type rewriter struct {
	depth   int
	tooDeep bool
}

func (r *rewriter) enter() bool {
	r.depth++
	if r.depth > maxNesting {
		r.tooDeep = true
	}
	return !r.tooDeep
}

func (r *rewriter) leave() { r.depth-- }

// at gives an expression a line.
func at[E ast.Expr](e E, line int) E {
	e.SetLine(line)
	e.SetLastLine(line)
	return e
}

func call(hook string, line int, args ...ast.Expr) *ast.FuncCallExpr {
	return at(&ast.FuncCallExpr{Func: at(&ast.IdentExpr{Value: hook}, line), Args: args, AdjustRet: true}, line)
}

func (r *rewriter) block(stmts []ast.Stmt) {
	if !r.enter() {
		return
	}
	defer r.leave()
	for i, s := range stmts {
		stmts[i] = r.stmt(s)
	}
}

func (r *rewriter) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return r.assign(s)
	case *ast.LocalAssignStmt:
		r.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = r.expr(s.Expr)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Stmts)
	case *ast.RepeatStmt:
		r.block(s.Stmts)
		s.Condition = r.expr(s.Condition)
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = r.expr(s.Init), r.expr(s.Limit)
		if s.Step != nil {
			s.Step = r.expr(s.Step)
		}
		r.block(s.Stmts)
	case *ast.GenericForStmt:
		r.exprs(s.Exprs)
		r.block(s.Stmts)
	case *ast.FuncDefStmt:
		r.block(s.Func.Stmts)
		if s.Name.Func != nil {
			s.Name.Func = r.expr(s.Name.Func)
		}
		if s.Name.Receiver != nil {
			s.Name.Receiver = r.expr(s.Name.Receiver)
		}
	case *ast.ReturnStmt:
		r.exprs(s.Exprs)
	}
	return s
}

// computed reports whether an expression is an element by a computed key.
func computed(e ast.Expr) (*ast.AttrGetExpr, bool) {
	get, ok := e.(*ast.AttrGetExpr)
	if !ok {
		return nil, false
	}
	_, named := get.Key.(*ast.StringExpr)
	return get, !named
}

// assign turns object[key] = value into a call. Where several values are
// assigned at once, objects, keys and values are all taken first, as the
// language demands.
func (r *rewriter) assign(s *ast.AssignStmt) ast.Stmt {
	any := false
	for i, e := range s.Lhs {
		_, is := computed(e)
		any = any || is
		s.Lhs[i] = r.target(e)
	}
	r.exprs(s.Rhs)
	if !any {
		return s
	}
	line := s.Line()
	stmt := func(to ast.Stmt) ast.Stmt {
		to.SetLine(line)
		to.SetLastLine(s.LastLine())
		return to
	}
	set := func(get *ast.AttrGetExpr, value ast.Expr) ast.Stmt {
		return stmt(&ast.FuncCallStmt{Expr: call(hookSet, line, get.Object, get.Key, value)})
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		get, _ := computed(s.Lhs[0])
		return set(get, single(s.Rhs[0]))
	}
	name := func(kind string, i int) string {
		return "(" + kind + string(rune('0'+i%10)) + string(rune('0'+i/10)) + ")"
	}
	ident := func(kind string, i int) ast.Expr { return at(&ast.IdentExpr{Value: name(kind, i)}, line) }
	block := &ast.DoBlockStmt{}
	values := &ast.LocalAssignStmt{Exprs: s.Rhs}
	var sets []ast.Stmt
	for i, e := range s.Lhs {
		if get, ok := e.(*ast.AttrGetExpr); ok {
			block.Stmts = append(block.Stmts, stmt(&ast.LocalAssignStmt{
				Names: []string{name("object", i), name("key", i)}, Exprs: []ast.Expr{single(get.Object), single(get.Key)},
			}))
			sets = append(sets, set(&ast.AttrGetExpr{Object: ident("object", i), Key: ident("key", i)}, ident("value", i)))
		} else {
			sets = append(sets, stmt(&ast.AssignStmt{Lhs: []ast.Expr{e}, Rhs: []ast.Expr{ident("value", i)}}))
		}
		values.Names = append(values.Names, name("value", i))
	}
	block.Stmts = append(append(block.Stmts, stmt(values)), sets...)
	return stmt(block)
}

// target rewrites what is assigned to, but not the assignment.
func (r *rewriter) target(e ast.Expr) ast.Expr {
	if get, ok := e.(*ast.AttrGetExpr); ok {
		get.Object, get.Key = r.expr(get.Object), r.expr(get.Key)
		return get
	}
	return e
}

// single makes an expression give one value.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

func (r *rewriter) exprs(all []ast.Expr) {
	for i, e := range all {
		all[i] = r.expr(e)
	}
}

func (r *rewriter) expr(e ast.Expr) ast.Expr {
	if e == nil || !r.enter() {
		return e
	}
	defer r.leave()
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		e.Object, e.Key = r.expr(e.Object), r.expr(e.Key)
	case *ast.TableExpr:
		return r.table(e)
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = r.expr(e.Func)
		}
		if e.Receiver != nil {
			e.Receiver = r.expr(e.Receiver)
		}
		r.exprs(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.FunctionExpr:
		r.block(e.Stmts)
	case *ast.StringConcatOpExpr:
		return r.concat(e)
	}
	return e
}

// concat makes one call of a chain of concatenations, which nests to the
// right.
func (r *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	var parts []ast.Expr
	var rest ast.Expr = e
	for len(parts) < maxParts {
		c, ok := rest.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		parts, rest = append(parts, single(r.expr(c.Lhs))), c.Rhs
	}
	parts = append(parts, single(r.expr(rest)))
	return call(hookConcat, e.Line(), parts...)
}

// maxParts is how many values one call concatenates: they take a register
// each, of which there are few.
const maxParts = 50

// table takes fields with computed keys out of a constructor.
func (r *rewriter) table(e *ast.TableExpr) ast.Expr {
	var plain []*ast.Field
	var apart []ast.Expr
	for i, f := range e.Fields {
		f.Value = r.expr(f.Value)
		if i < len(e.Fields)-1 {
			f.Value = single(f.Value)
		}
		if _, named := f.Key.(*ast.StringExpr); f.Key == nil || named {
			plain = append(plain, f)
			continue
		}
		apart = append(apart, single(r.expr(f.Key)), single(f.Value))
	}
	if apart == nil {
		return e
	}
	line := e.Line()
	var made ast.Expr = at(&ast.TableExpr{Fields: plain}, line)
	for from := 0; from < len(apart); from += maxParts {
		made = call(hookTable, line, append([]ast.Expr{made}, apart[from:min(from+maxParts, len(apart))]...)...)
	}
	return made
}
