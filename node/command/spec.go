package command

// Flags say how a command may be run. They are those COMMAND INFO names.
type Flags uint16

const (
	Write     Flags = 1 << iota // changes keys
	ReadOnly                    // reads keys
	DenyOOM                     // refused above maxmemory
	Admin                       // for whoever runs the server
	NoScript                    // not from a script
	Loading                     // also while data are loaded
	Stale                       // also on a replica that lost its primary
	Fast                        // constant or logarithmic time
	NoAuth                      // before authentication
	AllowBusy                   // also while a script hangs
	NoMulti                     // not in a transaction
)

// flagNames are in the order COMMAND INFO prints them.
var flagNames = []struct {
	flag Flags
	name string
}{
	{Write, "write"}, {ReadOnly, "readonly"}, {DenyOOM, "denyoom"}, {Admin, "admin"}, {NoScript, "noscript"}, {Loading, "loading"},
	{Stale, "stale"}, {Fast, "fast"}, {NoAuth, "no_auth"}, {NoMulti, "no_multi"}, {AllowBusy, "allow_busy"},
}

// Category is the ACL categories of a command that do not follow from its
// flags; Spec.categories gives all.
type Category uint8

const (
	Keyspace Category = 1 << iota
	SortedSet
	Connection
	Dangerous
	neitherReadNorWrite // has the flag but not the category
)

// Keys says which arguments are keys: First to Last by Step, where a negative
// Last counts from the end. The zero value is none.
type Keys struct {
	First, Last, Step int
	Access            string   // RO, RW, OW or RM, as in key specifications
	Use               []string // access, update, insert or delete
}

func oneKey(access string, use ...string) Keys { return Keys{1, 1, 1, access, use} }

func subKey(access string, use ...string) Keys { return Keys{2, 2, 1, access, use} }

func allKeys(access string, use ...string) Keys { return Keys{1, -1, 1, access, use} }

// of is the keys among args, nil when there are none. args has passed the
// arity check.
func (k Keys) of(args [][]byte) [][]byte {
	if k.First == 0 {
		return nil
	}
	last := k.Last
	if last < 0 {
		last += len(args)
	}
	last = min(last, len(args)-1)
	if k.Step == 1 {
		return args[k.First : last+1]
	}
	var keys [][]byte
	for i := k.First; i <= last; i += k.Step {
		keys = append(keys, args[i])
	}
	return keys
}

// Spec is one command, or one subcommand of a container command.
type Spec struct {
	Name       string // lower case; a subcommand's is "container|name"
	Arity      int    // arguments with the name; negative: at least that many
	Flags      Flags
	Keys       Keys
	Categories Category
	Tips       []string // hints to clients of clusters

	Group, Since, Complexity, Summary string
	Deprecated                        string // since when; empty when it is not
	ReplacedBy                        string
	Args                              []Arg

	// Run answers the command. A container has Subs instead.
	Run  func(*Call)
	Subs []Spec

	number int // its place among the statistics
}

// accepts reports whether a call with n arguments, its name included, fits.
func (s *Spec) accepts(n int) bool {
	if s.Arity < 0 {
		return n >= -s.Arity
	}
	return n == s.Arity
}

// categories are the names of the ACL categories, each with its @.
func (s *Spec) categories() []string {
	var all []string
	add := func(is bool, name string) {
		if is {
			all = append(all, name)
		}
	}
	plain := s.Categories&neitherReadNorWrite == 0
	add(s.Categories&Keyspace != 0, "@keyspace")
	add(s.Flags&ReadOnly != 0 && plain, "@read")
	add(s.Flags&Write != 0 && plain, "@write")
	add(s.Categories&SortedSet != 0, "@sortedset")
	add(s.Flags&Admin != 0, "@admin")
	add(s.Flags&Fast != 0, "@fast")
	add(s.Flags&Fast == 0, "@slow")
	add(s.Categories&Dangerous != 0 || s.Flags&Admin != 0, "@dangerous")
	add(s.Categories&Connection != 0, "@connection")
	return all
}

// Arg documents one argument, in the terms of COMMAND DOCS.
type Arg struct {
	Name, Type, Token string
	Optional, Many    bool
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
