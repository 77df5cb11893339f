package acl

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// RuleError is why a rule is refused, in the words of real servers.
type RuleError string

func (e RuleError) Error() string { return string(e) }

// The reasons.
const (
	errUnknownName  RuleError = "Unknown command or category name in ACL"
	errSyntax       RuleError = "Syntax error"
	errAllKeys      RuleError = "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try 'resetkeys' to start with an empty list of patterns"
	errAllChannels  RuleError = "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. Try 'resetchannels' to start with an empty list of channels"
	errNoSuchPass   RuleError = "The password you are trying to remove from the user does not exist"
	errPasswordHash RuleError = "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters"
	errFirstArg     RuleError = "Allowing first-arg of a subcommand is not supported"
	errDatabase     RuleError = "The provided database ID is out of range"
)

// The bounds of what a user may be made of. They keep a check, and the reply
// of ACL LIST, of a reasonable size; no sensible user comes near.
const (
	maxPatterns  = 10_000 // of keys, of channels, of a selector
	maxRules     = 10_000 // about commands, of a selector
	maxSelectors = 1_000
	maxPasswords = 1_000

	errTooMany RuleError = "The user has too many rules"
)

// apply changes s by one rule. What it does when it fails does not matter: the
// caller throws s away.
func (s *selector) apply(c *Catalogue, rule string) error {
	switch strings.ToLower(rule) {
	case "allkeys", "~*":
		s.allKeys, s.keys = true, nil
	case "resetkeys":
		s.allKeys, s.keys = false, nil
	case "allchannels", "&*":
		s.allChannels, s.channels = true, nil
	case "resetchannels":
		s.allChannels, s.channels = false, nil
	case "alldbs":
		s.allDatabases, s.databases = true, nil
	case "resetdbs":
		s.allDatabases, s.databases = false, nil
	case "allcommands", "+@all":
		s.allCommands, s.future, s.allowed, s.rules, s.firstArgs = true, true, c.all(), nil, nil
	case "nocommands", "-@all":
		s.allCommands, s.future, s.allowed, s.rules, s.firstArgs = false, false, c.none(), nil, nil
	default:
		switch {
		case rule[0] == '~' || rule[0] == '%':
			return s.addKeys(rule)
		case rule[0] == '&':
			return s.addChannel(rule[1:])
		case len(rule) >= 3 && strings.EqualFold(rule[:3], "db="):
			return s.setDatabases(rule[3:])
		case rule[0] == '+' || rule[0] == '-':
			return s.setCommands(c, strings.ToLower(rule[1:]), rule[0] == '+')
		}
		return errSyntax
	}
	return nil
}

// addKeys reads ~pattern, and %R~pattern with R, W or both.
func (s *selector) addKeys(rule string) error {
	if s.allKeys {
		return errAllKeys
	}
	access, at := Read|Write, 1
	if rule[0] == '%' {
		access = 0
	letters:
		for ; at < len(rule); at++ {
			switch letter := rule[at] &^ 0x20; {
			case rule[at] == '~':
				at++
				break letters
			case letter == 'R' && access&Read == 0:
				access |= Read
			case letter == 'W' && access&Write == 0:
				access |= Write
			default:
				return errSyntax
			}
		}
		if access == 0 {
			return errSyntax
		}
	}
	pattern := rule[at:]
	if hasSpace(pattern) {
		return errSyntax
	}
	for i := range s.keys {
		if s.keys[i].pattern == pattern {
			s.keys[i].access |= access
			return nil
		}
	}
	if len(s.keys) >= maxPatterns {
		return errTooMany
	}
	s.keys = append(s.keys, keyPattern{pattern, access})
	return nil
}

func (s *selector) addChannel(pattern string) error {
	switch {
	case s.allChannels:
		return errAllChannels
	case hasSpace(pattern):
		return errSyntax
	case slices.Contains(s.channels, pattern):
	case len(s.channels) >= maxPatterns:
		return errTooMany
	default:
		s.channels = append(s.channels, pattern)
	}
	return nil
}

// setDatabases reads the numbers of db=0,1. They replace those there were.
func (s *selector) setDatabases(list string) error {
	s.allDatabases, s.databases = false, nil
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrSyntax):
			return errSyntax
		case err != nil || n < 0 || n > math.MaxInt32:
			return errDatabase
		case len(s.databases) >= maxRules:
			return errTooMany
		}
		if at, is := slices.BinarySearch(s.databases, int(n)); !is {
			s.databases = slices.Insert(s.databases, at, int(n))
		}
	}
	return nil
}

// setCommands reads what follows + or -: a command, a subcommand, a command
// with its first argument, or @ and a category.
func (s *selector) setCommands(c *Catalogue, name string, allow bool) error {
	if category, is := strings.CutPrefix(name, "@"); is {
		if !slices.Contains(Categories, category) {
			return errUnknownName
		}
		for _, i := range c.members[category] {
			s.set(c, i, allow)
		}
		return s.note(name, allow)
	}
	if i, known := c.byName[name]; known {
		s.set(c, i, allow)
		return s.note(name, allow)
	}
	at := strings.LastIndexByte(name, '|')
	if at < 0 || !allow {
		return errUnknownName
	}
	command, first := name[:at], name[at+1:]
	i, known := c.byName[command]
	switch {
	case !known:
		return errUnknownName
	case strings.Contains(command, "|"):
		return errFirstArg
	case first == "" || hasSpace(first):
		return errSyntax
	case len(c.subs[i]) > 0:
		return errUnknownName
	}
	// A command allowed with one first argument only, as select|0.
	if s.firstArgs == nil {
		s.firstArgs = map[int][]string{}
	}
	if !slices.Contains(s.firstArgs[i], first) {
		s.firstArgs[i] = append(s.firstArgs[i], first)
	}
	return s.note(name, allow)
}

// set allows a command with its subcommands, or forbids them.
func (s *selector) set(c *Catalogue, i int, allow bool) {
	c.set(s.allowed, i, allow)
	s.allCommands = s.allCommands && allow
	delete(s.firstArgs, i)
	for _, sub := range c.subs[i] {
		delete(s.firstArgs, sub)
	}
}

// note puts a rule about commands last, in the place of those it overrides:
// the same one, and those about parts of the command.
func (s *selector) note(name string, allow bool) error {
	s.rules = slices.DeleteFunc(s.rules, func(old string) bool {
		return old[1:] == name || strings.HasPrefix(old[1:], name+"|")
	})
	if len(s.rules) >= maxRules {
		return errTooMany
	}
	sign := "-"
	if allow {
		sign = "+"
	}
	s.rules = append(s.rules, sign+name)
	return nil
}

// hasSpace reports whether text has what separates words, or ends them.
func hasSpace(text string) bool { return strings.ContainsAny(text, spaces) }

const spaces = " \t\n\v\f\r\x00"
