package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// machine is what reading a configuration asks of its surroundings.
type machine struct {
	root     fs.FS // the file system from "/", for control groups and memory
	stdin    io.Reader
	openFile func(name string) (io.ReadCloser, error)
}

func thisMachine() machine {
	return machine{
		root:     os.DirFS("/"),
		stdin:    os.Stdin,
		openFile: func(name string) (io.ReadCloser, error) { return os.Open(name) },
	}
}

// FromArgs reads a command line without its program name:
//
//	[node.conf] [--directive value ...] [-]
//
// The file counts first, then standard input if "-" asks for it, then the
// flags; of the same directive the last one counts. The error is ErrHelp or
// ErrVersion if the command line asks for that, else it names each directive
// that cannot be used, where it stands and what is allowed, one a line.
func FromArgs(args []string) (*Config, error) { return load(args, thisMachine()) }

func load(args []string, on machine) (*Config, error) {
	line, err := parseArgs(args)
	if err != nil {
		return nil, err
	}
	var settings []setting
	var problems []error
	read := func(name string, from io.Reader) error {
		content, err := io.ReadAll(io.LimitReader(from, maxFileBytes+1))
		if err != nil {
			return fmt.Errorf("cannot read the configuration: %w", err)
		}
		if len(content) > maxFileBytes {
			return fmt.Errorf("%s: a configuration is at most %d bytes long", name, maxFileBytes)
		}
		more, wrong := parseFile(name, string(content))
		settings, problems = append(settings, more...), append(problems, wrong...)
		return nil
	}
	if line.file != "" {
		file, err := on.openFile(line.file)
		if err != nil {
			return nil, fmt.Errorf("cannot read the configuration: %w", err)
		}
		err = read(line.file, file)
		file.Close()
		if err != nil {
			return nil, err
		}
	}
	if line.stdin {
		if err := read("standard input", on.stdin); err != nil {
			return nil, err
		}
	}
	settings = append(settings, line.settings...)

	v, wrong := build(settings, on)
	if problems = append(problems, wrong...); len(problems) > 0 {
		return nil, joinProblems(problems)
	}
	c := &Config{machine: on, file: line.file}
	if c.file != "" {
		if path, err := filepath.Abs(c.file); err == nil {
			c.file = path
		}
	}
	c.values.Store(v)
	return c, nil
}

// build applies the settings in order to the defaults.
func build(settings []setting, on machine) (v *Values, problems []error) {
	v = defaults()
	for _, s := range settings {
		d := lookUp(s.name)
		if d == nil {
			problems = append(problems, problem(s.origin, s.name, selfContained(whyUnknown(strings.ToLower(s.name)))))
			continue
		}
		err := d.apply(v, s.values, on)
		if err == nil {
			continue
		}
		if _, ok := err.(selfContained); !ok {
			err = fmt.Errorf("%w (allowed: %s)", err, d.allowed)
		}
		for _, value := range s.values {
			if strings.HasPrefix(value, "#") {
				err = fmt.Errorf("%w; a comment has a line of its own", err)
				break
			}
		}
		problems = append(problems, problem(s.origin, s.name, err))
	}
	if err := check(v); err != nil {
		problems = append(problems, err)
	}
	return v, problems
}

// defaults are the values when nothing is configured.
func defaults() *Values {
	v := &Values{Databases: 1}
	for i := range table {
		d := &table[i]
		words, _ := splitWords(d.initial)
		if len(words) == 0 {
			words = []string{""}
		}
		if err := d.apply(v, words, machine{}); err != nil {
			panic("config: default of " + d.name + ": " + err.Error())
		}
	}
	if err := check(v); err != nil {
		panic("config: defaults: " + err.Error())
	}
	return v
}

// check completes v and refuses what cannot be together.
func check(v *Values) error {
	if v.Port != 0 && v.Port == v.HTTPPort {
		return fmt.Errorf("port and http-port are both %d; they need two ports", v.Port)
	}
	if err := checkTLS(v); err != nil {
		return err
	}
	return tune(v)
}

// problem reports a directive that cannot be used.
func problem(origin, name string, why error) error {
	const longest = 64 // of a name; the rest is garbage
	if len(name) > longest {
		name = name[:longest] + "..."
	}
	return fmt.Errorf("%s: directive %q: %w", origin, name, why)
}

// joinProblems makes one error of many, of a length that can be read.
func joinProblems(problems []error) error {
	const shown = 20
	if n := len(problems); n > shown {
		problems = append(problems[:shown:shown], fmt.Errorf("and %d more", n-shown))
	}
	return errors.Join(problems...)
}
