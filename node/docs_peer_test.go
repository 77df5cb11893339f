package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// documented is what a server tells of its commands, by full name: what must
// agree between servers, line by line.
func documented(t *testing.T, addr string) map[string][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2})
	defer c.Close()
	reply, err := c.Do(ctx, "COMMAND", "DOCS").Slice()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	var commands func(pairs []any)
	commands = func(pairs []any) {
		for i := 0; i+1 < len(pairs); i += 2 {
			name, fields := pairs[i].(string), pairs[i+1].([]any)
			var lines []string
			for j := 0; j+1 < len(fields); j += 2 {
				switch field, value := fields[j].(string), fields[j+1]; field {
				case "subcommands":
					commands(value.([]any))
				case "since", "group", "deprecated_since":
					lines = append(lines, fmt.Sprint(field, " ", value))
				case "arguments":
					lines = append(lines, argumentLines("", value.([]any))...)
				}
			}
			all[name] = lines
		}
	}
	commands(reply)
	return all
}

// argumentLines is a line for each argument, those of blocks and choices
// behind the path to them.
func argumentLines(path string, args []any) (lines []string) {
	for _, a := range args {
		var name string
		var rest []string
		var below []any
		fields := a.([]any)
		for i := 0; i+1 < len(fields); i += 2 {
			switch field, value := fields[i].(string), fields[i+1]; field {
			case "name":
				name = value.(string)
			case "arguments":
				below = value.([]any)
			case "flags":
				flags := []string{}
				for _, f := range value.([]any) {
					flags = append(flags, f.(string))
				}
				slices.Sort(flags)
				rest = append(rest, "flags="+strings.Join(flags, ","))
			default:
				rest = append(rest, fmt.Sprint(field, "=", value))
			}
		}
		lines = append(append(lines, path+name+" "+strings.Join(rest, " ")), argumentLines(path+name+"/", below)...)
	}
	return lines
}

// Clients and their generators build calls from COMMAND DOCS: arguments must
// be those of a real server, but for what only one of them has.
func TestDocumentedAsPeers(t *testing.T) {
	if *peers == "" {
		t.Skip("set -peers host:port,... to compare with running servers")
	}
	ours := documented(t, start(t).addr)
	var theirs []map[string][]string
	for addr := range strings.SplitSeq(*peers, ",") {
		theirs = append(theirs, documented(t, addr))
	}
	differs := []string{
		"debug",                                          // has arguments here
		"shutdown",                                       // SAFE and FAILOVER are not there
		"zunion", "zunionstore", "zinter", "zinterstore", // AGGREGATE COUNT is younger than the peers
	}
	for name, lines := range ours {
		if slices.Contains(differs, name) {
			continue
		}
		known, agrees := false, false
		for _, peer := range theirs {
			if its, ok := peer[name]; ok {
				known = true
				agrees = agrees || slices.Equal(lines, its)
			}
		}
		switch {
		case !known:
			t.Errorf("no peer has %s", name)
		case !agrees:
			t.Errorf("%s: ours\n\t%s\npeers'", name, strings.Join(lines, "\n\t"))
			for _, peer := range theirs {
				t.Logf("\n\t%s", strings.Join(peer[name], "\n\t"))
			}
		}
	}
}
