package command

import (
	"strconv"
	"strings"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/following"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/resp"
)

// What replicas send. The answer to PSYNC and SYNC is written by package replication: from then on the connection carries
// the log, and what the replica sends is not answered.
var syncSpecs = []Spec{
	{
		Name: "psync", Arity: -3, Flags: Admin | NoScript | NoAsyncLoading | NoMulti,
		Group: "server", Since: "2.8.0", Complexity: "O(1)",
		Summary: "Begins to follow this node: from an offset of its log on, or with all data before.",
		Args:    []Arg{arg("replicationid", "string"), arg("offset", "integer")},
		Run: func(c *Call) {
			offset, ok := c.integer(2)
			if !ok {
				return
			}
			if len(c.Args) > 3 && is(c.Args[3], "FAILOVER") {
				// A primary hands over to this node.
				if c.Env.Shard != nil {
					c.W.Error("ERR PSYNC FAILOVER can't be sent to a node of a shard.")
					return
				}
				if err := c.Env.Following.Hand(string(c.Args[1])); err != nil {
					c.W.Error("ERR " + err.Error())
					return
				}
			}
			c.follow(replication.Request{ID: string(c.Args[1]), Offset: offset})
		},
	},
	{
		Name: "sync", Arity: 1, Flags: Admin | NoScript | NoAsyncLoading | NoMulti,
		Group: "server", Since: "1.0.0", Complexity: "O(N) where N is the number of members in all keys",
		Summary: "Begins to follow this node, with all data first. PSYNC is for those who may have them.",
		Run:     func(c *Call) { c.follow(replication.Request{Old: true}) },
	},
	{
		Name: "replconf", Arity: -1, Flags: Admin | NoScript | Loading | Stale | AllowBusy,
		Group: "server", Since: "3.0.0", Complexity: "O(1)",
		Summary: "What a replica says of itself, and how much of the log it has.",
		Run:     replconf,
	},
}

// Follower is who the client has become by PSYNC or SYNC; nil for others. It is served by whoever has the connection.
func (c *Call) Follower() *replication.Follower { return c.follower }

func (c *Call) follow(r replication.Request) {
	switch {
	case c.follower != nil:
		return
	case c.Env.Following != nil && c.Env.Following.Handing() != following.NoHandover:
		c.W.Error("NOMASTERLINK Can't SYNC while failing over")
		return
	case c.Env.Replication == nil || !c.Env.Replication.MayServe():
		c.W.Error("NOMASTERLINK Can't SYNC while not connected with my master")
		return
	}
	r.Introduction, r.Addr, r.Close = c.introduction, c.Client.Addr, c.Client.Close
	c.Client.Enter(client.Following)
	c.follower = c.Env.Replication.Attach(r)
}

// mostSaid is the longest name of a host, and more than what else a replica says of itself takes.
const mostSaid = 255

// replconf reads options with a value each. ACK and GETACK have no answer.
func replconf(c *Call) {
	if len(c.Args)%2 == 0 {
		c.W.Error(errSyntax)
		return
	}
	said := &c.introduction
	answer := "OK"
	for i := 1; i < len(c.Args); i += 2 {
		value := c.Args[i+1]
		switch strings.ToLower(string(c.Args[i])) {
		case "listening-port":
			port, ok := c.integer(i + 1)
			if !ok {
				return
			}
			said.Port = int(port)
		case "ip-address":
			if len(value) > mostSaid {
				c.W.Error("ERR REPLCONF ip-address provided by replica instance is too long: " + strconv.Itoa(len(value)) + " bytes")
				return
			}
			said.Host = string(value)
		case "capa":
			said.Marked = said.Marked || is(value, "EOF")
			said.Renames = said.Renames || is(value, "PSYNC2")
		case "version":
			said.Version = string(value[:min(len(value), mostSaid)])
		case "rdb-only":
			only, ok := c.integer(i + 1)
			if !ok {
				return
			}
			said.RDBOnly = only == 1
		case "rdb-filter-only":
			said.NoKeys, said.NoFunctions = true, true
			for _, part := range strings.Fields(string(value)) {
				if !strings.EqualFold(part, "functions") {
					c.W.Error("ERR Unsupported rdb-filter-only option: " + part)
					return
				}
				said.NoFunctions = false
			}
		case "zset-epoch":
			epoch, ok := c.integer(i + 1)
			if !ok {
				return
			}
			said.Epoch, answer = epoch, c.Env.Replication.Identity().Answer()
		case "run-id":
			said.RunID = string(value[:min(len(value), mostSaid)])
		case "ack":
			c.acknowledge(i)
			return
		case "getack":
			return // what a primary asks, in its log
		default:
			c.W.Error("ERR Unrecognized REPLCONF option: " + string(c.Args[i]))
			return
		}
	}
	c.W.Simple(answer)
}

// acknowledge notes how much of the log the replica has, as the argument after i says, and its disk, as the one after FACK
// does. Both are offsets of the last byte.
func (c *Call) acknowledge(i int) {
	last, ok := resp.ParseInt(c.Args[i+1])
	if c.follower == nil || !ok || last < 0 {
		return
	}
	saved := int64(0)
	if len(c.Args) > i+3 && is(c.Args[i+2], "FACK") {
		if n, ok := resp.ParseInt(c.Args[i+3]); ok && n >= 0 {
			saved = n + 1
		}
	}
	c.follower.Confirm(last+1, saved)
}
