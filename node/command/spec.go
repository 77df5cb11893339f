package command

import (
	"slices"

	"zset.dev/operator/node/resp"
)

// Flags say how a command may be run. They are those COMMAND INFO names.
type Flags uint32

const (
	Write           Flags = 1 << iota // changes keys
	ReadOnly                          // reads keys
	DenyOOM                           // refused above maxmemory
	Admin                             // for whoever runs the server
	NoScript                          // not from a script
	Loading                           // also while data are loaded
	Stale                             // also on a replica that lost its primary
	Fast                              // constant or logarithmic time
	NoAuth                            // before authentication
	AllowBusy                         // also while a script hangs
	NoMulti                           // not in a transaction
	PubSub                            // about channels
	Blocking                          // may wait
	MayReplicate                      // may have an effect on replicas without changing keys
	SkipMonitor                       // MONITOR shows the commands within it instead
	SkipSlowlog                       // the slow log holds the commands within it instead
	NoMandatoryKeys                   // a call without keys may be right
	NoAsyncLoading                    // not while data are loaded behind those that are served
)

// flagNames are in the order COMMAND INFO prints them.
var flagNames = []struct {
	flag Flags
	name string
}{
	{Write, "write"}, {ReadOnly, "readonly"}, {DenyOOM, "denyoom"}, {Admin, "admin"}, {PubSub, "pubsub"}, {NoScript, "noscript"}, {Blocking, "blocking"}, {Loading, "loading"},
	{Stale, "stale"}, {SkipMonitor, "skip_monitor"}, {SkipSlowlog, "skip_slowlog"}, {Fast, "fast"}, {NoAuth, "no_auth"}, {NoMandatoryKeys, "no_mandatory_keys"},
	{NoAsyncLoading, "no_async_loading"}, {NoMulti, "no_multi"}, {AllowBusy, "allow_busy"},
}

// Category is the ACL categories of a command that do not follow from its
// flags; Spec.categories gives all.
type Category uint16

const (
	Keyspace Category = 1 << iota
	SortedSet
	Geo
	Connection
	Transaction
	Scripting
	Dangerous
	Administrative      // an administrator's, though it has no such flag
	neitherReadNorWrite // has the flag but not the category
)

// Keys says which arguments are keys, in parts that follow each other in the
// reply of COMMAND GETKEYS. None is no keys.
type Keys []KeyPart

// KeyPart finds some of the keys in one of three ways:
//
//   - First to Last by Step, where a negative Last counts from the end;
//   - with Count, as many as that argument says, which follow it;
//   - with Word, the argument after the last such word, sought from First on;
//     of several parts with words, the last of all.
type KeyPart struct {
	First, Last, Step int
	Count             int
	Word              string   // upper case
	Access            string   // RO, RW, OW or RM, as in key specifications
	Use               []string // access, update, insert or delete
}

func oneKey(access string, use ...string) Keys { return keyAt(1, access, use...) }

func subKey(access string, use ...string) Keys { return keyAt(2, access, use...) }

func keyAt(i int, access string, use ...string) Keys {
	return Keys{{First: i, Last: i, Step: 1, Access: access, Use: use}}
}

func allKeys(access string, use ...string) Keys {
	return Keys{{First: 1, Last: -1, Step: 1, Access: access, Use: use}}
}

// countedKeys are those after argument count, which says how many they are.
func countedKeys(count int, access string, use ...string) Keys {
	return Keys{{Count: count, Step: 1, Access: access, Use: use}}
}

// keyAfter is the key that follows a word, which is at argument from or later.
func keyAfter(word string, from int, access string, use ...string) Keys {
	return Keys{{Word: word, First: from, Step: 1, Access: access, Use: use}}
}

// and puts other keys behind these.
func (k Keys) and(other Keys) Keys { return append(slices.Clip(k), other...) }

// movable reports whether keys are elsewhere than First, Last and Step of a
// single range can say: clients must look at the arguments, or ask.
func (k Keys) movable() bool {
	for i := range k {
		if k[i].Count != 0 || k[i].Word != "" {
			return true
		}
	}
	return false
}

// one is which argument is the only key; 0 when there are more, or none, or
// it depends on the others.
func (k Keys) one() int {
	if len(k) == 1 && k[0].Count == 0 && k[0].Word == "" && k[0].First == k[0].Last {
		return k[0].First
	}
	return 0
}

// span is the first, last and step of all ranges together, as clients use them
// that know no others; zeros when there is none.
func (k Keys) span() (first, last, step int) {
	for i := range k {
		p := &k[i]
		switch {
		case p.Count != 0 || p.Word != "":
		case first == 0:
			first, last, step = p.First, p.Last, p.Step
		default:
			last = p.Last
		}
	}
	return first, last, step
}

// of is the keys among args, nil when there are none. args has passed the
// arity check. Of a part whose count is wrong there are none: the command
// refuses it before it looks for a key. Of the keys after words only the last
// is one: the command will use no other.
func (k Keys) of(args [][]byte) [][]byte {
	if len(k) == 1 && k[0].Word == "" {
		return k[0].of(args)
	}
	var keys [][]byte
	k.each(args, func(_ *KeyPart, key []byte) { keys = append(keys, key) })
	return keys
}

// each calls yield with the keys among args, as of has them, and what finds
// each.
func (k Keys) each(args [][]byte, yield func(p *KeyPart, key []byte)) {
	words := false
	for i := range k {
		if k[i].Word != "" {
			words = true
			continue
		}
		for _, key := range k[i].of(args) {
			yield(&k[i], key)
		}
	}
	if words {
		if p, last := k.lastAfterWord(args); p != nil {
			yield(p, last)
		}
	}
}

// lastAfterWord is the argument after the last of the words that some keys
// follow, read from left to right as the command will, and the part with that
// word; nil when there is none.
func (k Keys) lastAfterWord(args [][]byte) (p *KeyPart, last []byte) {
	first := len(args)
	for i := range k {
		if k[i].Word != "" {
			first = min(first, k[i].First)
		}
	}
	for at := first; at+1 < len(args); at++ {
		for i := range k {
			if k[i].Word != "" && is(args[at], k[i].Word) {
				at++
				p, last = &k[i], args[at]
				break
			}
		}
	}
	return p, last
}

// of is the keys of a part without a word.
func (p *KeyPart) of(args [][]byte) [][]byte {
	if p.Count != 0 {
		n, ok := resp.ParseInt(args[p.Count])
		if !ok || n < 1 || n > int64(len(args)-p.Count-1) {
			return nil
		}
		return args[p.Count+1 : p.Count+1+int(n)]
	}
	last := p.Last
	if last < 0 {
		last += len(args)
	}
	last = min(last, len(args)-1)
	if p.Step == 1 {
		return args[p.First : last+1]
	}
	var keys [][]byte
	for i := p.First; i <= last; i += p.Step {
		keys = append(keys, args[i])
	}
	return keys
}

// countable reports whether every count among the keys' parts holds.
func (k Keys) countable(args [][]byte) bool {
	for i := range k {
		if k[i].Count != 0 && k[i].of(args) == nil {
			return false
		}
	}
	return true
}

// Spec is one command, or one subcommand of a container command.
type Spec struct {
	Name       string // lower case; a subcommand's is "container|name"
	Arity      int    // arguments with the name; negative: at least that many
	Flags      Flags
	Keys       Keys
	Routes     Keys // words that are no keys but choose a slot: shard channels
	Channels   Keys // words that are channels it listens to or publishes to
	Categories Category
	Tips       []string // hints to clients of clusters
	Quiet      bool     // does not count as a use of its keys
	Sized      bool     // takes long only when its reply is long

	ChannelPatterns bool // its channels are patterns

	Group, Since, Complexity, Summary string
	Differs                           string // from what real servers answer, in a sentence; empty when it does not
	Deprecated                        string // since when; empty when it is not
	ReplacedBy                        string
	Args                              []Arg

	// Whole says that the command looks at keys beyond those it names. One
	// that writes holds all partitions; one that reads goes through them one
	// by one, or, in a transaction or script, finds all of them held.
	Whole bool

	HoldsItself bool // holds what it needs by itself, and releases it

	AtOnce          bool // runs also between MULTI and EXEC
	WhileSubscribed bool // runs also for a RESP2 client with subscriptions

	// Member is which argument is a member of the first key's set that it looks
	// up, counted from the last when it is negative; 0 is none.
	Member int

	// Run answers the command. A container has Subs instead.
	Run  func(*Call)
	Subs []Spec

	number int // its place among the statistics
	oneKey int // which argument is its key, if it has just one; else 0
}

// accepts reports whether a call with n arguments, its name included, fits.
func (s *Spec) accepts(n int) bool {
	if s.Arity < 0 {
		return n >= -s.Arity
	}
	return n == s.Arity
}

// flags are their names, as COMMAND INFO has them.
func (s *Spec) flags() []string {
	var names []string
	for _, f := range flagNames {
		if s.Flags&f.flag != 0 {
			names = append(names, f.name)
		}
	}
	if s.Keys.movable() {
		names = append(names, "movablekeys")
	}
	return names
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
	add(s.Categories&Geo != 0, "@geo")
	add(s.Flags&PubSub != 0, "@pubsub")
	add(s.Flags&Admin != 0 || s.Categories&Administrative != 0, "@admin")
	add(s.Flags&Fast != 0, "@fast")
	add(s.Flags&Fast == 0, "@slow")
	add(s.Flags&Blocking != 0, "@blocking")
	add(s.Categories&(Dangerous|Administrative) != 0 || s.Flags&Admin != 0, "@dangerous")
	add(s.Categories&Connection != 0, "@connection")
	add(s.Categories&Transaction != 0, "@transaction")
	add(s.Categories&Scripting != 0, "@scripting")
	return all
}
