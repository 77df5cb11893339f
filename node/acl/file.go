package acl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFileBytes bounds an ACL file: thousands of users.
const maxFileBytes = 16 << 20

// Parse reads the lines of an ACL file: one user each, empty ones and those
// that start with # apart. The error names every line that cannot be used, in
// the words of real servers; name is the file's.
func (a *Accounts) Parse(name, content string) ([]*User, error) {
	var users []*User
	var problems strings.Builder
	seen := map[string]bool{}
	n := 0
	for line := range strings.Lines(content) {
		n++
		line = strings.Trim(line, spaces)
		if line == "" || line[0] == '#' {
			continue
		}
		problem := func(format string, args ...any) {
			if problems.Len() < 4096 {
				fmt.Fprintf(&problems, "%s:%d: %s. ", name, n, fmt.Sprintf(format, args...))
			}
		}
		fields := words(line)
		switch {
		case fields[0] != "user" || len(fields) < 2:
			problem("line should start with user keyword")
			continue
		case !ValidName(fields[1]):
			problem("username '%s' contains invalid characters", fields[1])
			continue
		case seen[fields[1]]:
			problem("Duplicate user '%s' found", fields[1])
			continue
		}
		seen[fields[1]] = true
		rules, unmatched, ok := Join(fields[2:])
		if !ok {
			problem("Unmatched parenthesis in selector definition starting at '%s'", unmatched)
			continue
		}
		u, rule, err := New(a.catalogue, fields[1], a.channels.Load()).Apply(rules, a.channels.Load())
		switch {
		case errors.Is(err, errUnknownName): // not a secret
			problem("Error in applying operation '%s': %s", rule, err)
		case err != nil:
			problem("%s", err)
		default:
			users = append(users, u)
		}
	}
	if problems.Len() > 0 {
		return nil, errors.New(problems.String() + "WARNING: ACL errors detected, no change to the previously active ACL rules was performed")
	}
	return users, nil
}

// Text is the content of an ACL file with all users.
func (a *Accounts) Text() string {
	var text strings.Builder
	for _, u := range a.All() {
		text.WriteString(u.Line())
		text.WriteByte('\n')
	}
	return text.String()
}

// ReadFile is the content of an ACL file.
func ReadFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	switch {
	case err != nil:
		return "", err
	case len(content) > maxFileBytes:
		return "", fmt.Errorf("%s: an ACL file is at most %d bytes long", path, maxFileBytes)
	}
	return string(content), nil
}

// WriteFile puts the content in the file's place, at once and for good: what
// was there before stays whole until then. Of a link it replaces what that
// leads to; the mode stays.
func WriteFile(path, content string) (err error) {
	mode := os.FileMode(0o600)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
		if is, err := os.Stat(path); err == nil {
			mode = is.Mode().Perm()
		}
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if _, err = file.WriteString(content); err != nil {
		return err
	}
	if err = file.Chmod(mode); err != nil {
		return err
	}
	if err = file.Sync(); err != nil {
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	// The new name is to outlast a crash, too.
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer folder.Close()
	folder.Sync()
	return nil
}
