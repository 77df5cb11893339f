package config

import (
	"fmt"
	"strings"
)

// Help returns the text of --help, complete: it comes from the table.
func Help() string {
	var b strings.Builder
	b.WriteString(`A sorted-set server that speaks RESP.

Usage:
  node [node.conf] [--directive value ...] [-]

  node                                   a server for this machine, on port 6379
  node --port 7000 --bind 127.0.0.1 ::1  directives as flags: each takes what follows up to the next --
  node --zset-skiplist-p=0.25            the same with one value
  node node.conf --loglevel verbose      a file in the syntax of redis.conf, then flags, which count more
  echo "maxmemory 75%" | node -          the file from standard input
  node -h, --help | -v, --version

Directives, in a file or as flags. Those marked * can be changed by CONFIG SET.
Sizes are bytes with an optional unit: k, m, g (thousands) or kb, mb, gb (1024).
`)
	const column = 32
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s\n", g)
		for i := range table {
			d := &table[i]
			if d.group != g {
				continue
			}
			live := ' '
			if d.live {
				live = '*'
			}
			fmt.Fprintf(&b, "%c --%-*s %s (default %s)\n", live, column-4, d.name, d.doc, d.shownDefault())
		}
	}
	return b.String()
}

// shownDefault is the default as one would write it.
func (d *directive) shownDefault() string {
	if d.initial == "" {
		return `""`
	}
	return d.initial
}
