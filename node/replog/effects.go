package replog

import (
	"slices"
	"strconv"

	"github.com/tidwall/redcon"

	"zset.dev/operator/node/resp"
)

// Effects gathers what one command, transaction or script did, as commands with absolute results:
//
//	ZADD key score member …      members have these scores
//	ZREM key member …            members are gone
//	DEL key                      the key is gone
//	RESTORE key time payload REPLACE ABSTTL
//	                             the key holds this set (rdb.Append), until that time, 0 for ever
//	PEXPIREAT key time           the key goes at that time (ms since the epoch)
//	PERSIST key                  it does not
//	FLUSHALL ASYNC               all keys are gone
//	RENAME key other             the other key holds what the key held, which is gone
//	COPY key other REPLACE       the other key holds what the key holds
//
// What is done to the same key one after another becomes one command. To do all of them again, to the data as it was at
// any moment since the first, leads to the same as having done them once; but not so RENAME and COPY, for which the key
// must be what it was then (keyspace.Walk sees to that).
type Effects struct {
	buf      []byte // commands, one behind the other
	commands int    // that are whole
	verb     string // of the last, while it is open: then it says a number of arguments of one digit, whichever
	args     int    // of it, its verb and key included
	from     int    // where it begins
	key      [2]int // from where to where its key stands
	given    []byte // the text of score, as Given was told; nil for none
	score    float64
}

// mostArgs bounds a command, so that whoever reads it has bounded work and memory for each.
const mostArgs = 1024

// Given says that text, not empty, is how resp.AppendScore writes a score: the client's text is mostly, and the digits need not be found
// again if the next Put is of it. The text stays the caller's, who takes it back by giving nil.
func (e *Effects) Given(text []byte, score float64) { e.given, e.score = text, score }

// Put says that a member has this score.
func (e *Effects) Put(key, member []byte, score float64) {
	e.extend(zadd, key)
	if e.given != nil && e.score == score {
		e.buf = redcon.AppendBulk(e.buf, e.given)
	} else {
		var text [40]byte
		e.buf = redcon.AppendBulk(e.buf, resp.AppendScore(text[:0], score))
	}
	e.buf = redcon.AppendBulk(e.buf, member)
	e.args += 2
}

// Take says that a member is gone.
func (e *Effects) Take(key, member []byte) {
	e.extend(zrem, key)
	e.buf = redcon.AppendBulk(e.buf, member)
	e.args++
}

// Drop says that a key is gone, whatever was just done to it.
func (e *Effects) Drop(key []byte) {
	if e.verb != "" && e.isOf(key) {
		e.buf, e.verb = e.buf[:e.from], ""
	}
	e.single("DEL", key)
}

// Rename says that a key holds what another held, which is gone, and until when. It is no effect as the others are: the
// other key must hold the same when this is done again.
func (e *Effects) Rename(from, to []byte) { e.single("RENAME", from, to) }

// Copy says that a key holds what another holds, likewise.
func (e *Effects) Copy(from, to []byte) { e.single("COPY", from, to, []byte("REPLACE")) }

// Command adds a command that changes no key.
func (e *Effects) Command(args ...[]byte) {
	e.close()
	e.buf = redcon.AppendArray(e.buf, len(args))
	for _, a := range args {
		e.buf = redcon.AppendBulk(e.buf, a)
	}
	e.commands++
}

// Store says what a key holds from now on: the set of a payload, until that time in milliseconds since the epoch, 0 for
// ever.
func (e *Effects) Store(key, payload []byte, expireAt int64) {
	var text [20]byte
	e.single("RESTORE", key, strconv.AppendInt(text[:0], expireAt, 10), payload, []byte("REPLACE"), []byte("ABSTTL"))
}

// Expire says when a key goes, in milliseconds since the epoch; 0 is never.
func (e *Effects) Expire(key []byte, at int64) {
	if at == 0 {
		e.single("PERSIST", key)
		return
	}
	var text [20]byte
	e.single("PEXPIREAT", key, strconv.AppendInt(text[:0], at, 10))
}

// Clear says that all keys are gone. ASYNC is for Redis 8: without it the link to its primary counts as a client that waits
// until the memory is given back, and if that link is cut then, Redis forgets where it was.
func (e *Effects) Clear() { e.single("FLUSHALL", []byte("ASYNC")) }

// Empty reports whether nothing happened.
func (e *Effects) Empty() bool { return e.commands == 0 && e.verb == "" }

// Appended is what happened as it goes to a Log: several commands stand in a transaction, so that nobody sees the data
// between them. It is valid until Reset.
func (e *Effects) Appended() (before, commands, after []byte) {
	e.close()
	if e.commands > 1 {
		return multi, e.buf, exec
	}
	return nil, e.buf, nil
}

var (
	multi = []byte("*1\r\n$5\r\nMULTI\r\n")
	exec  = []byte("*1\r\n$4\r\nEXEC\r\n")
)

// Reset forgets what happened, and keeps at most so many bytes of memory.
func (e *Effects) Reset(keep int) {
	if cap(e.buf) > keep {
		e.buf = nil
	}
	e.buf, e.commands, e.verb, e.given = e.buf[:0], 0, "", nil
}

// How the commands that can be open begin, with a number of arguments of one digit.
const (
	zadd = "*4\r\n$4\r\nZADD\r\n"
	zrem = "*3\r\n$4\r\nZREM\r\n"
)

// extend makes the open command one that begins so and has that key, with room for more.
func (e *Effects) extend(verb string, key []byte) {
	if e.verb == verb && e.args < mostArgs && e.isOf(key) {
		return
	}
	e.close()
	e.verb, e.args, e.from = verb, 2, len(e.buf)
	e.buf = append(e.buf, verb...)
	e.buf = redcon.AppendBulk(e.buf, key)
	to := len(e.buf) - len("\r\n")
	e.key = [2]int{to - len(key), to}
}

// isOf reports whether the open command has that key.
func (e *Effects) isOf(key []byte) bool { return string(e.buf[e.key[0]:e.key[1]]) == string(key) }

// close ends the open command.
func (e *Effects) close() {
	if e.verb == "" {
		return
	}
	count := e.from + len("*")
	if e.args <= 9 {
		e.buf[count] = '0' + byte(e.args)
	} else {
		var text [20]byte
		e.buf = slices.Replace(e.buf, count, count+1, strconv.AppendInt(text[:0], int64(e.args), 10)...)
	}
	e.verb = ""
	e.commands++
}

// single adds a command.
func (e *Effects) single(verb string, args ...[]byte) {
	e.close()
	e.buf = redcon.AppendArray(e.buf, 1+len(args))
	e.buf = redcon.AppendBulkString(e.buf, verb)
	for _, a := range args {
		e.buf = redcon.AppendBulk(e.buf, a)
	}
	e.commands++
}

// Command is one as it stands in a log, and as it is sent.
func Command(words ...string) []byte {
	b := redcon.AppendArray(nil, len(words))
	for _, w := range words {
		b = redcon.AppendBulkString(b, w)
	}
	return b
}
