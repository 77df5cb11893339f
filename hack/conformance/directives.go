package main

import (
	"bufio"
	"os"
	"strings"

	"zset.dev/operator/node/config"
)

// directive is one line of a configuration file: a name, and its values as
// they stand in the file.
type directive struct{ name, value string }

func (d directive) line() string {
	if d.value == "" {
		return d.name + ` ""`
	}
	return d.name + " " + d.value
}

// hosted are the directives the runner decides itself.
var hosted = map[string]bool{
	"port": true, "bind": true, "dir": true, "pidfile": true, "logfile": true, "databases": true, "daemonize": true, "loglevel": true,
	"unixsocket": true, "unixsocketperm": true, "enable-debug-assert": true, "propagation-error-behavior": true, "set-proc-title": true,
}

// readDirectives reads the configuration that the suite gives its servers,
// without what the runner decides.
func readDirectives(path string) ([]directive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []directive
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, _ := strings.Cut(line, " ")
		if !hosted[name] {
			all = append(all, directive{name, strings.Trim(value, `'" `)})
		}
	}
	return all, nil
}

// knownToNode parts the directives into those the node takes and the names of
// those it refuses.
func knownToNode(all []directive) (taken []directive, refused []string) {
	for _, d := range all {
		args := append([]string{"--" + d.name}, strings.Fields(strings.ReplaceAll(d.value, `"`, ""))...)
		if strings.Trim(d.value, `'" `) == "" {
			args = []string{"--" + d.name, ""}
		}
		if _, err := config.FromArgs(args); err != nil {
			refused = append(refused, d.name)
			continue
		}
		taken = append(taken, d)
	}
	return taken, refused
}
