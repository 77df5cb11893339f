package command

import "zset.dev/operator/node/keyspace"

// A node by itself answers what is about clusters as a server does whose
// cluster support is off: the commands are there, with their arity, and refuse.
// Only a key's slot can be told without one.
var clusterSpecs = []Spec{
	{
		Name: "cluster", Arity: -2,
		Group: "cluster", Since: "3.0.0", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about the cluster.",
		Subs: []Spec{
			{
				Name: "cluster|keyslot", Arity: 3, Flags: Stale,
				Group: "cluster", Since: "3.0.0", Complexity: "O(N), N bytes of the key",
				Summary: "Returns the hash slot of a key.",
				Args:    []Arg{arg("key", "string")},
				Run:     func(c *Call) { c.W.Int(int64(keyspace.Slot(c.Args[2]))) },
			},
			ofCluster("cluster|countkeysinslot", 3, Stale, "3.0.0", "Returns how many keys a slot holds.", arg("slot", "integer")),
			changing(ofCluster("cluster|getkeysinslot", 4, Stale, "3.0.0", "Returns keys of a slot.", arg("slot", "integer"), arg("count", "integer"))),
			changing(ofCluster("cluster|info", 2, Loading|Stale, "3.0.0", "Returns the state of the cluster.")),
			changing(ofCluster("cluster|links", 2, Stale, "7.0.0", "Returns the links between nodes.")),
			ofCluster("cluster|myid", 2, Loading|Stale, "3.0.0", "Returns the node's name."),
			changing(ofCluster("cluster|myshardid", 2, Loading|Stale, "7.2.0", "Returns the shard's name.")),
			changing(ofCluster("cluster|nodes", 2, Loading|Stale, "3.0.0", "Returns the nodes, a line each.")),
			changing(ofCluster("cluster|replicas", 3, Admin|Stale, "5.0.0", "Returns the replicas of a node.", arg("node-id", "string"))),
			changing(ofCluster("cluster|shards", 2, Loading|Stale, "7.0.0", "Returns the shards with their slots and nodes.")),
			replaced(changing(ofCluster("cluster|slaves", 3, Admin|Stale, "3.0.0", "Returns the replicas of a node.", arg("node-id", "string"))), "5.0.0", "`CLUSTER REPLICAS`"),
			changing(ofCluster("cluster|slots", 2, Loading|Stale, "3.0.0", "Returns ranges of slots with their nodes.")),
			ofCluster("cluster|failover", -2, Admin|NoAsyncLoading|Stale, "3.0.0", "Makes a replica primary.",
				oneOf("options", token("FORCE", "force"), token("TAKEOVER", "takeover")).optional()),
			ofCluster("cluster|reset", -2, Admin|NoScript|Stale, "3.0.0", "Takes the node out of its cluster.",
				oneOf("reset-type", token("HARD", "hard"), token("SOFT", "soft")).optional()),
			ofCluster("cluster|help", 2, Loading|Stale, "5.0.0", "Returns text about the subcommands."),
		},
	},
	connectionToCluster("asking", Fast, "Lets the next command reach a slot that is on its way here."),
	connectionToCluster("readonly", Loading|Stale|Fast, "Lets a connection to a replica read."),
	connectionToCluster("readwrite", Loading|Stale|Fast, "Takes READONLY back."),
}

const errNoCluster = "ERR This instance has cluster support disabled"

// ofCluster is a subcommand that needs a cluster.
func ofCluster(name string, arity int, flags Flags, since, summary string, args ...Arg) Spec {
	return Spec{
		Name: name, Arity: arity, Flags: flags,
		Group: "cluster", Since: since, Complexity: "O(1)",
		Summary: summary + " Refused by a node without cluster.",
		Args:    args,
		Run:     func(c *Call) { c.W.Error(errNoCluster) },
	}
}

func connectionToCluster(name string, flags Flags, summary string) Spec {
	s := ofCluster(name, 1, flags, "3.0.0", summary)
	s.Categories = Connection
	return s
}

// changing marks a command whose answer is not the same everywhere and always.
func changing(s Spec) Spec {
	s.Tips = []string{"nondeterministic_output"}
	return s
}

// replaced marks a command as deprecated.
func replaced(s Spec, since, by string) Spec {
	s.Deprecated, s.ReplacedBy = since, by
	return s
}
