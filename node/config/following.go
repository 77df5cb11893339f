package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Following is what the directives about a node that is a replica say.
type Following struct {
	Host         string // of the primary; empty = the node is one
	Port         int    // likewise
	User         string // with which primaries are asked for the log; "" = the default user
	Password     string // likewise; "" = none
	TLS          bool   // connect to primaries over TLS
	AnnounceHost string // under which others reach this node; "" = the address it connects from
	AnnouncePort int    // likewise; 0 = the port it listens on
	ReadOnly     bool
	ServeStale   bool
	IgnoreMemory bool // a replica evicts nothing: what it has is the primary's
	Priority     int
	Announced    bool
	LazyFlush    bool
}

var followed = []directive{
	{
		name: "replicaof", aliases: []string{"slaveof"}, group: replicated, initial: "",
		doc: "host and port of the primary to follow from the start on; empty = none",
		note: "REPLICAOF changes it, CONFIG REWRITE writes it down. Names of hosts are looked up at each attempt to connect. " +
			"See [replication](replication.md).",
		kind: primary,
	},
	{
		name: "masterauth", aliases: []string{"primaryauth"}, group: replicated, initial: "", live: true,
		doc:  "password with which a replica authenticates to its primary; empty = none",
		kind: text("any text", func(v *Values) *string { return &v.Following.Password }),
	},
	{
		name: "masteruser", aliases: []string{"primaryuser"}, group: replicated, initial: "", live: true,
		doc:  "user as whom it does; empty = default",
		kind: text("a user's name", func(v *Values) *string { return &v.Following.User }),
	},
	{
		name: "replica-announce-ip", aliases: []string{"slave-announce-ip"}, group: replicated, initial: "", live: true,
		doc:  "name or address under which others reach this replica; empty = the address it connects from",
		kind: text("a name or an address", func(v *Values) *string { return &v.Following.AnnounceHost }),
	},
	{
		name: "replica-announce-port", aliases: []string{"slave-announce-port"}, group: replicated, initial: "0", live: true,
		doc:  "port under which they do; 0 = the one it listens on",
		kind: integer(func(v *Values) *int { return &v.Following.AnnouncePort }, 0, 65535),
	},
	{
		name: "replica-announced", group: replicated, initial: "yes", live: true,
		doc:  "whether INFO of the replica says that it may be told of, which is for Sentinel",
		kind: yesNo(func(v *Values) *bool { return &v.Following.Announced }),
	},
	{
		name: "replica-priority", aliases: []string{"slave-priority"}, group: replicated, initial: "100", live: true,
		doc:  "told in INFO, for Sentinel: which replica becomes primary first, the lowest but 0, which never does",
		kind: integer(func(v *Values) *int { return &v.Following.Priority }, 0, math.MaxInt32),
	},
	{
		name: "replica-read-only", aliases: []string{"slave-read-only"}, group: replicated, initial: "yes", live: true,
		doc: "whether a replica refuses clients' writes",
		note: "What is written to a replica stays on it, is not what the primary has, and is lost at the next full synchronisation; " +
			"the replica's own replicas do not get it.",
		kind: yesNo(func(v *Values) *bool { return &v.Following.ReadOnly }),
	},
	{
		name: "replica-serve-stale-data", aliases: []string{"slave-serve-stale-data"}, group: replicated, initial: "yes", live: true,
		doc: "whether a replica answers while its link to the primary is down",
		note: "With `no` it answers MASTERDOWN to what is about data. While a primary's data come in, what there was is gone and the answer is LOADING " +
			"whatever this says; it stays that until a whole data set has come.",
		kind: yesNo(func(v *Values) *bool { return &v.Following.ServeStale }),
	},
	{
		name: "replica-ignore-maxmemory", aliases: []string{"slave-ignore-maxmemory"}, group: replicated, initial: "yes", live: true,
		doc:  "whether a replica leaves eviction to its primary",
		kind: yesNo(func(v *Values) *bool { return &v.Following.IgnoreMemory }),
	},
	{
		name: "replica-lazy-flush", aliases: []string{"slave-lazy-flush"}, group: replicated, initial: "yes", live: true,
		doc:  "accepted; memory of what a full synchronisation replaces is given back in the background, whatever this says",
		kind: yesNo(func(v *Values) *bool { return &v.Following.LazyFlush }),
	},
}

// primary is a host and a port.
var primary = kind{
	allowed: "a host and a port, or nothing",
	list:    true,
	set: func(v *Values, values []string, _ machine) error {
		switch {
		case len(values) == 0 || len(values) == 1 && values[0] == "":
			v.Following.Host, v.Following.Port = "", 0
			return nil
		case len(values) == 2 && strings.EqualFold(values[0], "no") && strings.EqualFold(values[1], "one"):
			v.Following.Host, v.Following.Port = "", 0
			return nil
		case len(values) != 2:
			return reason("wrong number of arguments")
		}
		port, err := strconv.Atoi(values[1])
		if err != nil || port < 1 || port > 65535 {
			return selfContained(fmt.Sprintf("%q is no port", values[1]))
		}
		v.Following.Host, v.Following.Port = values[0], port
		return nil
	},
	get: func(v *Values) string {
		if v.Following.Host == "" {
			return ""
		}
		return v.Following.Host + " " + strconv.Itoa(v.Following.Port)
	},
}
