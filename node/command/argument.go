package command

// Arg documents one argument, in the terms of COMMAND DOCS.
type Arg struct {
	Name, Type, Token string
	Shown             string // what stands for it in a form of the command; Name when empty
	Since             string // when it is younger than the command
	Deprecated        string // since when; empty when it is not
	Optional, Many    bool
	ManyTokens        bool // Token stands before each of the many
	KeyPart           int  // of a key: which part of Spec.Keys finds it
	Args              []Arg
}

func arg(name, kind string) Arg { return Arg{Name: name, Type: kind} }

func keyArg() Arg { return arg("key", "key") }

// token is a word that stands for itself.
func token(word, name string) Arg { return Arg{Name: name, Type: "pure-token", Token: word} }

// after is an argument that follows a word.
func after(word, name, kind string) Arg { return Arg{Name: name, Type: kind, Token: word} }

func oneOf(name string, args ...Arg) Arg { return Arg{Name: name, Type: "oneof", Args: args} }

func block(name string, args ...Arg) Arg { return Arg{Name: name, Type: "block", Args: args} }

func (a Arg) optional() Arg {
	a.Optional = true
	return a
}

func (a Arg) many() Arg {
	a.Many = true
	return a
}

// since tells the version that brought the argument.
func (a Arg) since(version string) Arg {
	a.Since = version
	return a
}

// shown is what stands for the argument in a form of the command.
func (a Arg) shown(text string) Arg {
	a.Shown = text
	return a
}

// each says that the token stands before each of many.
func (a Arg) each() Arg {
	a.ManyTokens = true
	return a.many()
}

// after says which word an argument follows.
func (a Arg) after(word string) Arg {
	a.Token = word
	return a
}

// deprecated tells since when the argument is not to be used any more.
func deprecated(a Arg, since string) Arg {
	a.Deprecated = since
	return a
}
