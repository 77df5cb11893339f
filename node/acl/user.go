package acl

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
)

// User is who may do what, and by which passwords they are known. It never
// changes: Apply makes another.
type User struct {
	name      string
	enabled   bool
	noPass    bool
	passwords []string // SHA-256, in lower case hexadecimal

	root      *selector
	selectors []*selector // further ones, each of which suffices by itself

	catalogue *Catalogue
	unlimited bool // the root selector forbids nothing
}

// New is a user that may do nothing and not log in. channels says whether
// users start with all channels.
func New(c *Catalogue, name string, channels bool) *User {
	return &User{name: name, root: newSelector(c, channels), catalogue: c}
}

// Name is the user's.
func (u *User) Name() string { return u.name }

// Enabled reports whether one may log in as the user.
func (u *User) Enabled() bool { return u.enabled }

// NoPass reports whether any password will do.
func (u *User) NoPass() bool { return u.noPass }

// Unlimited reports whether the user may do everything.
func (u *User) Unlimited() bool { return u.unlimited }

// Apply is the user with the rules applied in order. The error, if any, is a
// RuleError, and rule the one it is about. Words between parentheses are one
// rule, see Join.
func (u *User) Apply(rules []string, channels bool) (changed *User, rule string, err error) {
	next := *u
	next.passwords, next.selectors = slices.Clone(u.passwords), slices.Clone(u.selectors)
	next.root = u.root.clone()
	for _, rule := range rules {
		if err := next.apply(rule, channels); err != nil {
			return nil, rule, err
		}
	}
	next.unlimited = next.root.unlimited()
	return &next, "", nil
}

func (u *User) apply(rule string, channels bool) error {
	if rule == "" {
		return nil
	}
	switch strings.ToLower(rule) {
	case "on", "off":
		u.enabled = strings.EqualFold(rule, "on")
	case "skip-sanitize-payload", "sanitize-payload": // said nothing for long
	case "nopass":
		u.noPass, u.passwords = true, nil
	case "resetpass":
		u.noPass, u.passwords = false, nil
	case "clearselectors":
		u.selectors = nil
	case "reset":
		*u = User{name: u.name, root: newSelector(u.catalogue, channels), catalogue: u.catalogue}
	default:
		switch rule[0] {
		case '>', '#', '<', '!':
			return u.setPassword(rule[0], rule[1:])
		case '(':
			if rule[len(rule)-1] == ')' {
				return u.addSelector(rule[1:max(1, len(rule)-1)], channels)
			}
		}
		return u.root.apply(u.catalogue, rule)
	}
	return nil
}

func (u *User) setPassword(sign byte, value string) error {
	if sign == '>' || sign == '<' {
		value = hash([]byte(value))
	} else if len(value) != 2*sha256.Size || strings.Trim(value, "0123456789abcdef") != "" {
		return errPasswordHash
	}
	at := slices.Index(u.passwords, value)
	switch {
	case sign == '<' || sign == '!':
		if at < 0 {
			return errNoSuchPass
		}
		u.passwords = slices.Delete(u.passwords, at, at+1)
		return nil
	case at < 0 && len(u.passwords) >= maxPasswords:
		return errTooMany
	case at < 0:
		u.passwords = append(u.passwords, value)
	}
	u.noPass = false
	return nil
}

// addSelector reads what stands between parentheses.
func (u *User) addSelector(text string, channels bool) error {
	if len(u.selectors) >= maxSelectors {
		return errTooMany
	}
	s := newSelector(u.catalogue, channels)
	for _, rule := range words(text) {
		// The text of the selector would end there.
		if rule[len(rule)-1] == ')' {
			return errSyntax
		}
		if err := s.apply(u.catalogue, rule); err != nil {
			return err
		}
	}
	u.selectors = append(u.selectors, s)
	return nil
}

// words splits at spaces.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r < 128 && strings.ContainsRune(spaces, r) })
}

// Join makes one rule of the words between a parenthesis and the one that
// closes it. unmatched is where one is opened and never closed.
func Join(rules []string) (joined []string, unmatched string, ok bool) {
	open := -1
	for i, rule := range rules {
		ends := strings.HasSuffix(rule, ")")
		switch {
		case open < 0 && strings.HasPrefix(rule, "(") && !ends:
			open = i
		case open < 0:
			joined = append(joined, rule)
		case ends:
			joined = append(joined, strings.Join(rules[open:i+1], " "))
			open = -1
		}
	}
	if open >= 0 {
		return nil, rules[open], false
	}
	return joined, "", true
}

func hash(password []byte) string {
	sum := sha256.Sum256(password)
	return hex.EncodeToString(sum[:])
}

// accepts reports whether a password is the user's. That takes as long
// whatever the password, and whatever part of it is right.
func (u *User) accepts(password []byte) bool {
	given, right := hash(password), 0
	for _, p := range u.passwords {
		right |= subtle.ConstantTimeCompare([]byte(given), []byte(p))
	}
	return u.noPass || right == 1
}

// Flags are the words ACL GETUSER prints.
func (u *User) Flags() []string {
	flags := []string{"off"}
	if u.enabled {
		flags[0] = "on"
	}
	if u.noPass {
		flags = append(flags, "nopass")
	}
	return flags
}

// Passwords are the hashes.
func (u *User) Passwords() []string { return u.passwords }

// Permissions are those of the root selector and of further ones.
func (u *User) Permissions() (root Permissions, further []Permissions) {
	for _, s := range u.selectors {
		further = append(further, s.describe())
	}
	return u.root.describe(), further
}

// Line is the user as ACL LIST and ACL files have it: a line that makes the
// same user again.
func (u *User) Line() string {
	line := []string{"user", u.name}
	line = append(line, u.Flags()...)
	for _, p := range u.passwords {
		line = append(line, "#"+p)
	}
	line = append(line, u.root.text())
	for _, s := range u.selectors {
		line = append(line, "("+s.text()+")")
	}
	return strings.Join(line, " ")
}

// ValidName reports whether a user may have the name.
func ValidName(name string) bool { return name != "" && !hasSpace(name) }
