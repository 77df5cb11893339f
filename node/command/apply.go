package command

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/resp"
)

// An Applier does again what a log says was done: a primary's log, or the one
// on disk. What stands between MULTI and EXEC is done with all its keys held.
// Nobody is asked for permission, no pause holds it, keys are seen by the clock
// of who wrote the log, and nothing of it is journaled again by the keyspace
// (whoever reads the log has its bytes).
//
// One goroutine uses it.
type Applier struct {
	// SkipOther leaves out what this server has no type for, or no database,
	// and counts it, instead of refusing it. A key that something of another
	// type was written to goes.
	SkipOther bool

	Skipped int64 // commands left out

	call      Call
	w         resp.Writer
	open      bool // between MULTI and EXEC
	queue     []queued
	words     [][]byte // of the queue
	text      []byte   // of its words
	elsewhere bool     // the log has selected a database that is not there
}

// keptQueue is the bytes of memory for transactions that an applier keeps.
const keptQueue = 1 << 20

// ForeignError is for a command of a log that this server cannot do.
type ForeignError struct {
	Command string
	Key     string // empty when it has none
	Reason  string
}

func (e *ForeignError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s: %s", e.Command, e.Reason)
	}
	return fmt.Sprintf("%s of key %q: %s", e.Command, e.Key, e.Reason)
}

// DivergedError is for a command that this server has, and that fails here:
// the data are not what they were where the log was written, or there is no
// room for them.
type DivergedError struct {
	Command, Key string
	Reply        string
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("%s of key %q fails here, other than where it was done first: %s", e.Command, e.Key, e.Reply)
}

// NewApplier makes an applier whose commands are shown as those of a client.
func NewApplier(env *Env, as *client.Client) *Applier {
	a := &Applier{}
	a.call = Call{Env: env, Client: as, W: &a.w, Rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), More: true}
	a.call.Held.Timeless = true
	a.Begin()
	return a
}

// As lets the commands be shown as those of another client.
func (a *Applier) As(c *client.Client) { a.call.Client = c }

// Begin reads the clock for the commands that follow, up to Report.
func (a *Applier) Begin() {
	a.call.At = a.call.Env.Now()
	a.call.now = a.call.At.UnixMilli()
}

// Report adds what was done since Begin to the statistics.
func (a *Applier) Report() { a.call.Report() }

// Restart forgets a transaction that has no end, and the database selected: the
// log begins anew, or is read again from behind the last whole transaction.
func (a *Applier) Restart(database bool) {
	if cap(a.text) > keptQueue || cap(a.words) > keptQueue/24 {
		a.queue, a.words, a.text = nil, nil, nil
	}
	a.open, a.queue, a.words, a.text = false, a.queue[:0], a.words[:0], a.text[:0]
	if database {
		a.elsewhere = false
	}
}

// Whole reports whether no transaction is open.
func (a *Applier) Whole() bool { return !a.open }

// Apply does one command. args are not kept. The error is a *ForeignError for
// what cannot be done here, or a *DivergedError for what fails, which leaves
// what its transaction did before.
func (a *Applier) Apply(args [][]byte) error {
	if is(args[0], "REPLCONF") {
		return nil
	}
	spec := a.call.Env.Table.lookup(args[0])
	if spec == nil {
		return a.foreign(args, "this server holds sorted sets only")
	}
	switch spec.Name {
	case "select":
		return a.choose(args)
	case "ping":
		return nil
	case "multi":
		a.Restart(false)
		a.open = true
		return nil
	case "exec":
		return a.exec()
	}
	if spec.Subs != nil && len(args) > 1 {
		spec = spec.sub(args[1])
	}
	switch {
	case spec == nil || spec.Run == nil || !spec.accepts(len(args)):
		return a.foreign(args, "this server has no such command")
	case a.elsewhere && spec.Name == "flushall":
	case a.elsewhere && (spec.Keys != nil || spec.Flags&Write != 0):
		a.Skipped++
		return nil
	}
	if a.open {
		a.enqueue(spec, args)
		return nil
	}
	a.call.Args = args
	return a.run(spec)
}

// run runs the command in the call.
func (a *Applier) run(spec *Spec) error {
	c := &a.call
	if spec != c.tally.spec {
		c.Report()
		c.now = c.At.UnixMilli()
		c.Client.Ran(&spec.Name)
	}
	if a.w.Len() > 0 {
		a.w.Reset(replyKept)
	}
	c.tally.executed++
	c.Env.Table.run(c, spec, nil)
	if c.Waiting() {
		c.over() // it has nothing to wait for: where it was done first there was something
	}
	if reply := a.w.Bytes(); len(reply) > 0 && reply[0] == '-' {
		return a.failed(spec, c.Args, reply)
	}
	return nil
}

// enqueue puts a command off until EXEC.
func (a *Applier) enqueue(spec *Spec, args [][]byte) {
	first := len(a.words)
	for _, word := range args {
		from := len(a.text)
		a.text = append(a.text, word...) // what moves to larger memory stays where it was, too
		a.words = append(a.words, a.text[from:len(a.text):len(a.text)])
	}
	a.queue = append(a.queue, queued{spec, a.words[first:len(a.words):len(a.words)]})
}

// exec does what was put off, of which nobody sees a part.
func (a *Applier) exec() error {
	if !a.open {
		return nil
	}
	c := &a.call
	queue := a.queue
	a.open = false
	defer a.Restart(false)
	if len(queue) == 0 {
		return nil
	}
	c.Report()
	c.holdQueue(queue)
	c.Nested = true
	var err error
	for _, q := range queue {
		c.Args = q.args
		if err = a.run(q.spec); err != nil {
			break
		}
	}
	c.Nested = false
	c.finish()
	c.Held.Release()
	return err
}

// choose is SELECT.
func (a *Applier) choose(args [][]byte) error {
	if len(args) != 2 {
		return a.foreign(args, "this server has no such command")
	}
	n, err := strconv.Atoi(string(args[1]))
	a.elsewhere = err != nil || n != 0
	if a.elsewhere && !a.SkipOther {
		return &ForeignError{Command: "SELECT " + clip(args[1], 20), Reason: "there is only database 0 here"}
	}
	return nil
}

// foreign is what becomes of a command that is not there.
func (a *Applier) foreign(args [][]byte, why string) error {
	if !a.SkipOther {
		e := &ForeignError{Command: clip(args[0], 64), Reason: why}
		if keys := overwritten(args); len(keys) > 0 {
			e.Key = string(keys[0])
		}
		return e
	}
	a.Skipped++
	if a.elsewhere {
		return nil
	}
	return a.drop(overwritten(args))
}

// failed is what becomes of a command that failed. Where what is of other types
// is left out, that is what it failed for, unless it is memory that is missing;
// and what it would have written to is no sorted set any more.
func (a *Applier) failed(spec *Spec, args [][]byte, reply []byte) error {
	text := string(reply[1 : len(reply)-2])
	if !a.SkipOther || text == errNoMemory {
		e := &DivergedError{Command: spec.Name, Reply: text}
		if keys := spec.Keys.of(args); len(keys) > 0 {
			e.Key = string(keys[0])
		}
		return e
	}
	a.Skipped++
	switch spec.Name {
	case "rename", "copy":
		return a.drop(args[2:3])
	case "restore":
		return a.drop(args[1:2])
	}
	return nil
}

// drop removes keys that something of another type was written to.
func (a *Applier) drop(keys [][]byte) error {
	c := &a.call
	if len(keys) == 0 {
		return nil
	}
	if a.open {
		a.enqueue(c.Env.Table.lookup([]byte("del")), append([][]byte{[]byte("DEL")}, keys...))
		return nil
	}
	if !c.Nested {
		c.Env.Keyspace.Hold(&c.Held, c.now, keys...)
		defer c.Held.Release()
		defer c.finish()
	}
	for _, key := range keys {
		c.drop(key)
	}
	return nil
}

// overwritten is the keys that a command of another type has written to. That it
// was logged says that they hold that type, whatever they held.
func overwritten(args [][]byte) (keys [][]byte) {
	if len(args) < 2 {
		return nil
	}
	switch {
	case is(args[0], "MSET") || is(args[0], "MSETNX"):
		for i := 1; i < len(args); i += 2 {
			keys = append(keys, args[i])
		}
	case is(args[0], "BITOP") || is(args[0], "XGROUP"):
		keys = args[min(2, len(args)):min(3, len(args))]
	case is(args[0], "SORT"):
		for i := 2; i+1 < len(args); i++ {
			if is(args[i], "STORE") {
				keys = args[i+1 : i+2]
			}
		}
	case is(args[0], "LMOVE") || is(args[0], "RPOPLPUSH") || is(args[0], "SMOVE"):
		keys = args[1:min(3, len(args))]
	default:
		keys = args[1:2]
	}
	return keys
}

// LeftOut is how many commands were left out.
func (a *Applier) LeftOut() int64 { return a.Skipped }
