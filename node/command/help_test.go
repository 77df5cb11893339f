package command

import (
	"strings"
	"testing"
)

// HELP of a container names each of its subcommands, and itself.
func TestHelpNamesEverySubcommand(t *testing.T) {
	table, c := testCall(t, midday)
	containers := 0
	for i := range table.specs {
		s := &table.specs[i]
		if s.sub([]byte("help")) == nil || s.Name == "cluster" { // which refuses all of them
			continue
		}
		containers++
		text := run(table, c, s.Name+" HELP")
		for _, sub := range s.Subs {
			if name := strings.ToUpper(sub.Name[len(s.Name)+1:]); !strings.Contains(text, name) {
				t.Errorf("%s HELP does not name %s", s.Name, name)
			}
		}
	}
	if containers < 10 {
		t.Errorf("only %d containers have HELP", containers)
	}
}

// What tells of the server alone: a reply of the right type, and no other.
func TestCommandsAboutTheServer(t *testing.T) {
	table, c := testCall(t, midday)
	for command, start := range map[string]string{
		"TIME": "*2\r\n$10\r\n" + decimal(midday().Unix()), "COMMAND COUNT": ":" + decimal(int64(len(table.specs))) + "\r\n",
		"CLIENT ID": ":1\r\n", "CLIENT INFO": "$", "LATENCY DOCTOR": "$", "MEMORY STATS": "*", "MEMORY DOCTOR": "$", "MEMORY MALLOC-STATS": "$",
		"CONFIG RESETSTAT": "+OK\r\n", "CONFIG REWRITE": "-ERR The server is running without a config file\r\n", "LOLWUT": "$", "INFO": "$",
	} {
		if got := run(table, c, command); !strings.HasPrefix(got, start) {
			t.Errorf("%s: %q, want %q", command, got, start)
		}
	}
}
