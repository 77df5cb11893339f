package command

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/glob"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/zset"
)

var debugSpecs = []Spec{
	{
		// Its subcommands are not commands of their own, as in other servers:
		// rules allow one as debug|object, by its first argument.
		Name: "debug", Arity: -2, Flags: Admin | NoScript | Loading | Stale, Whole: true,
		Group: "server", Since: "1.0.0", Complexity: "Depends on the subcommand",
		Summary: "For tests of the server, where enable-debug-command allows it.",
		Differs: "Only what tests use of it.",
		Args:    []Arg{arg("subcommand", "string"), arg("arg", "string").optional().many()},
		Run:     debugCommand,
	},
	{
		Name: "module", Arity: -2,
		Group: "server", Since: "4.0.0", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about modules. There are none.",
		Subs: []Spec{
			{
				Name: "module|list", Arity: 2, Flags: Admin | NoScript,
				Tips:  []string{"nondeterministic_output_order"},
				Group: "server", Since: "4.0.0", Complexity: "O(1)",
				Summary: "Returns the modules: none.",
				Run:     func(c *Call) { c.W.Array(0) },
			},
			helpSpec("module", "server", "5.0.0", Loading|Stale, 0,
				"LIST", "    The modules. There are none, and none can be loaded."),
		},
	},
}

const errDebugRefused = "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, " +
	"otherwise you need to set this option in the configuration file, and then restart the server."

// mayDebug reports whether the configuration lets a client use DEBUG.
func (c *Call) mayDebug() bool {
	switch c.Env.Config.Values().EnableDebug {
	case "yes":
		return true
	case "local":
		return localClient(c.Client)
	}
	return false
}

// localClient reports whether a client is on this machine.
func localClient(cl *client.Client) bool {
	return strings.HasPrefix(cl.Addr, "127.") || strings.HasPrefix(cl.Addr, "[::1]:") || strings.HasPrefix(cl.Addr, "[::ffff:127.")
}

// debugged is what DEBUG does, by the word that follows, with the number of
// words after that.
var debugged = map[string]struct {
	least, most int
	run         func(c *Call, args [][]byte)
	form, does  string
}{
	"DIGEST":                   {0, 0, debugDigest, "DIGEST", "A digest of all keys: members, scores and expiries."},
	"DIGEST-VALUE":             {1, math.MaxInt, debugDigestValue, "DIGEST-VALUE <key> [<key> ...]", "A digest of each key's members and scores."},
	"LISTPACK":                 {1, 1, debugListpack, "LISTPACK <key>", "The members of a set that is a listpack."},
	"OBJECT":                   {1, 2, debugObject, "OBJECT <key>", "How a key is stored."},
	"PROTOCOL":                 {1, 1, debugProtocol, "PROTOCOL <type>", "A value of a type of reply: string, integer, double, bignum, null, array, set, map, attrib, push, verbatim, true, false."},
	"RELOAD":                   {0, 3, debugReload, "RELOAD [MERGE] [NOFLUSH] [NOSAVE]", "Save dump.rdb, and load it in the place of all keys."},
	"LOADAOF":                  {0, 0, debugLoadAppended, "LOADAOF", "Load the append-only files in the place of all keys."},
	"SET-ACTIVE-EXPIRE":        {1, 1, debugActiveExpire, "SET-ACTIVE-EXPIRE <0|1>", "Whether expired keys are removed before they are asked for."},
	"PAUSE-CRON":               {1, 1, debugPauseCron, "PAUSE-CRON <0|1>", "Whether what comes round by the clock waits: expiry, limits of clients."},
	"REPLYBUFFER":              {2, 2, (func(c *Call, _ [][]byte) { c.ok() }), "REPLYBUFFER RESIZING <0|1>", "Nothing: reply buffers do not change by the clock."},
	"SET-DISABLE-DENY-SCRIPTS": {1, 1, debugInScripts, "SET-DISABLE-DENY-SCRIPTS <0|1>", "Whether scripts may use DEBUG."},
	"SLEEP":                    {1, 1, debugSleep, "SLEEP <seconds>", "Keep everybody waiting. Decimals are allowed, up to an hour."},
	"STRINGMATCH-LEN":          {2, 2, debugStringMatch, "STRINGMATCH-LEN <length> <pattern>", "Match a pattern with so many times A."},
	"JMAP":                     {0, 0, debugNone("JMAP is of another kind of server"), "", ""},
}

func debugNone(why string) func(*Call, [][]byte) {
	return func(c *Call, _ [][]byte) { c.W.Error("ERR DEBUG " + why) }
}

func debugCommand(c *Call) {
	if !c.mayDebug() {
		c.W.Error(errDebugRefused)
		return
	}
	if is(c.Args[1], "HELP") && len(c.Args) == 2 {
		debugHelp(c)
		return
	}
	sub, known := debugged[strings.ToUpper(string(c.Args[1]))]
	if args := c.Args[2:]; known && len(args) >= sub.least && len(args) <= sub.most {
		sub.run(c, args)
		return
	}
	c.wrongCall()
}

func debugHelp(c *Call) {
	lines := []string{"DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"}
	for _, name := range []string{"DIGEST", "DIGEST-VALUE", "LISTPACK", "LOADAOF", "OBJECT", "PAUSE-CRON", "PROTOCOL", "RELOAD", "REPLYBUFFER", "SET-ACTIVE-EXPIRE", "SET-DISABLE-DENY-SCRIPTS", "SLEEP", "STRINGMATCH-LEN"} {
		lines = append(lines, debugged[name].form, "    "+debugged[name].does)
	}
	lines = append(lines, "HELP", "    Print this help.")
	c.W.Array(len(lines))
	for _, line := range lines {
		c.W.Simple(line)
	}
}

// digest is that of keys or of a key's members: in whatever order and encoding
// they are, equal data have equal digests.
type digest [sha1.Size]byte

// mix adds one part of the data; every part may be added once.
func (d *digest) mix(parts ...[]byte) {
	h := sha1.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		h.Write(p)
	}
	for i, b := range h.Sum(nil) {
		d[i] ^= b
	}
}

func digestOf(s *zset.Set) (d digest) {
	for member, score := range s.All() {
		d.mix(member, binary.BigEndian.AppendUint64(nil, math.Float64bits(score)))
	}
	return d
}

func debugDigest(c *Call, _ [][]byte) {
	var all digest
	c.Env.Keyspace.Each(&c.Held, c.now, func(e *keyspace.Entry) {
		value := digestOf(e.Set())
		all.mix([]byte(e.Key()), value[:], binary.BigEndian.AppendUint64(nil, uint64(e.ExpireAt())))
	})
	c.W.Simple(hex.EncodeToString(all[:]))
}

func debugDigestValue(c *Call, keys [][]byte) {
	c.W.Array(len(keys))
	for _, key := range keys {
		var d digest
		if e := c.Held.Peek(key); e != nil {
			d = digestOf(e.Set())
		}
		c.W.BulkString(hex.EncodeToString(d[:]))
	}
}

const errNoKey = "ERR no such key"

func debugObject(c *Call, args [][]byte) {
	e := c.Held.Stored(args[0])
	if e == nil {
		c.W.Error(errNoKey)
		return
	}
	idle := e.Idle(c.now)
	c.W.Simple(fmt.Sprintf("Value at:%#x refcount:1 encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d",
		0, e.Set().Encoding(), e.Set().MemoryUsage(), c.now/1000-idle, idle))
}

func debugListpack(c *Call, args [][]byte) {
	e := c.Held.Peek(args[0])
	switch {
	case e == nil:
		c.W.Error(errNoKey)
	case e.Set().Encoding() != zset.Listpack:
		c.W.Error("ERR Not a listpack encoded object.")
	default:
		c.W.Array(2 * e.Set().Len())
		for member, score := range e.Set().All() {
			c.W.Bulk(member)
			c.W.Score(score)
		}
	}
}

func debugActiveExpire(c *Call, args [][]byte) {
	c.Env.ExpiryPaused.Store(string(args[0]) == "0")
	c.ok()
}

func debugPauseCron(c *Call, args [][]byte) {
	c.Env.SweepPaused.Store(string(args[0]) == "1")
	c.ok()
}

// debugSleep keeps all partitions, as it runs with all of them held.
func debugSleep(c *Call, args [][]byte) {
	seconds, err := strconv.ParseFloat(string(args[0]), 64)
	if err != nil || !(seconds >= 0 && seconds <= 3600) {
		c.W.Error("ERR value is not a valid float, or not from 0 to 3600")
		return
	}
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	c.ok()
}

func debugStringMatch(c *Call, args [][]byte) {
	const longest = 10 << 20
	n, err := strconv.Atoi(string(args[0]))
	if err != nil || n < 0 || n > longest {
		c.W.Error(errNotInteger)
		return
	}
	if glob.Match(args[1], []byte(strings.Repeat("A", n))) {
		c.W.Int(1)
		return
	}
	c.W.Int(0)
}

// debugInScripts lets scripts use DEBUG, for tests of how they read replies.
func debugInScripts(c *Call, args [][]byte) {
	c.Env.DebugInScripts.Store(string(args[0]) == "1")
	c.ok()
}
