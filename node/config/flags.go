package config

import (
	"errors"
	"strings"
)

// ErrHelp and ErrVersion say that the command line asks for text, not for a
// server.
var (
	ErrHelp    = errors.New("help requested")
	ErrVersion = errors.New("version requested")
)

// onCommandLine is the origin of a directive given as a flag.
const onCommandLine = "command line"

// commandLine is what the arguments of the program say.
type commandLine struct {
	file     string // "" = none
	stdin    bool   // read standard input after the file
	settings []setting
}

// parseArgs reads [node.conf] [--directive value ...] [-]. A directive takes
// all arguments up to the next one that starts with "--", or exactly one
// written as --directive=value. A lone "-" first or last is standard input.
func parseArgs(args []string) (c commandLine, err error) {
	if len(args) > 0 && args[0] == "-" {
		c.stdin, args = true, args[1:]
	} else if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		c.file, args = args[0], args[1:]
	}
	if n := len(args); n > 0 && args[n-1] == "-" {
		c.stdin, args = true, args[:n-1]
	}
	for len(args) > 0 {
		flag := args[0]
		args = args[1:]
		switch flag {
		case "-h", "--help":
			return c, ErrHelp
		case "-v", "--version":
			return c, ErrVersion
		}
		name, isFlag := strings.CutPrefix(flag, "--")
		if !isFlag || name == "" {
			return c, problem(onCommandLine, flag, reason("not a directive; write --name value, and the file before all directives"))
		}
		s := setting{origin: onCommandLine, name: name}
		if name, value, assigned := strings.Cut(name, "="); assigned {
			s.name, s.values = name, []string{value}
		}
		n := 0
		for n < len(args) && !strings.HasPrefix(args[n], "--") {
			n++
		}
		s.values = append(s.values, args[:n]...)
		args = args[n:]
		if len(s.values) == 0 {
			return c, problem(onCommandLine, s.name, reason("no value given; write --"+s.name+"=--value for one that starts with --"))
		}
		c.settings = append(c.settings, s)
	}
	return c, nil
}
