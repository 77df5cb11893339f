// Package config reads the node's configuration and answers CONFIG GET and
// CONFIG SET.
//
// One table describes each directive: its names, default, what it allows,
// whether it changes while the node runs, how its value is read and printed,
// and its documentation. The parser of node.conf, the command-line flags,
// CONFIG, --help and docs/configuration.md all come from that table.
//
// The node creates one [Config] at start. Whoever needs a value takes the
// immutable snapshot [Config.Values], which costs one atomic load; whoever
// must act on a change registers with [Config.OnChange].
package config
