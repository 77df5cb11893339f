package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/config"
)

// openAccounts makes the default user, as the configuration wants it.
func (env *Env) openAccounts() {
	env.Accounts = usualAccounts(env.Table.catalogue(), env.Config.Values())
	env.Denials = &acl.Log{}
	env.Config.OnChange(func(old, now *config.Values) {
		env.Accounts.StartWithChannels(now.ACLPubsubDefault == "allchannels")
		// To set it anew counts, too, but cannot be told from setting
		// something else.
		if old.RequirePass != now.RequirePass {
			requirePass(env.Accounts, now.RequirePass)
		}
	})
}

// usualAccounts is the default user alone, as the configuration wants it.
func usualAccounts(catalogue *acl.Catalogue, v *config.Values) *acl.Accounts {
	accounts := acl.NewAccounts(catalogue)
	accounts.StartWithChannels(v.ACLPubsubDefault == "allchannels")
	if v.RequirePass != "" {
		requirePass(accounts, v.RequirePass)
	}
	return accounts
}

// requirePass gives the default user a password, or none.
func requirePass(accounts *acl.Accounts, password string) {
	rule := "nopass"
	if password != "" {
		rule = ">" + password
	}
	if _, _, err := accounts.Set(acl.DefaultName, "resetpass", rule); err != nil {
		panic("command: " + err.Error())
	}
}

// LoadUsers makes the users of the configuration and of the ACL file. It is
// called once, before clients come.
func (env *Env) LoadUsers() error {
	v := env.Config.Values()
	if v.ACLFile != "" {
		if len(v.Users) > 0 {
			return errors.New("users are defined by both user lines and aclfile; move all of them to one place")
		}
		users, err := env.readUsers()
		if err != nil {
			return err
		}
		env.Accounts.Replace(users)
		return nil
	}
	seen := map[string]bool{}
	for _, line := range v.Users {
		name := line[0]
		switch {
		case !acl.ValidName(name):
			return fmt.Errorf("user %q: %s", name, errUserName)
		case seen[name]:
			return fmt.Errorf("user %q: Duplicate user found. A user can only be defined once in config files", name)
		}
		seen[name] = true
		rules := line[1:]
		if name == acl.DefaultName && v.RequirePass == "" {
			// The line says all there is to say, as for any other user.
			rules = append([]string{"reset"}, rules...)
		} else if name == acl.DefaultName {
			rules = append([]string{"resetkeys", "resetchannels", "nocommands"}, rules...)
		}
		if _, _, err := env.Accounts.Set(name, rules...); err != nil {
			return fmt.Errorf("user %q: %w", name, err)
		}
	}
	return nil
}

// userLines is the users as lines of a configuration file: without the default
// user where it is no more than requirepass says, nil when they have a file of
// their own.
func (env *Env) userLines() []string {
	v := env.Config.Values()
	if v.ACLFile != "" {
		return nil
	}
	usual := usualAccounts(env.Accounts.Catalogue(), v).Default().User().Line()
	lines := []string{}
	for _, u := range env.Accounts.All() {
		if line := u.Line(); line != usual {
			lines = append(lines, line)
		}
	}
	return lines
}

// aclPath is where the ACL file is.
func (env *Env) aclPath() string {
	v := env.Config.Values()
	if filepath.IsAbs(v.ACLFile) {
		return v.ACLFile
	}
	return filepath.Join(v.Dir, v.ACLFile)
}

// readUsers reads the ACL file. The error is the reply of ACL LOAD without
// its code.
func (env *Env) readUsers() ([]*acl.User, error) {
	content, err := acl.ReadFile(env.aclPath())
	if err != nil {
		return nil, fmt.Errorf("Error loading ACLs, opening file '%s': %w", env.Config.Values().ACLFile, err)
	}
	return env.Accounts.Parse(env.Config.Values().ACLFile, content)
}

// catalogue is what ACL rules know of the commands: those of the table by
// their numbers, and behind them those of other data types, so that rules
// made for other servers can be used here.
func (t *Table) catalogue() *acl.Catalogue {
	var commands []acl.Command
	for _, name := range t.names {
		var categories []string
		for _, category := range t.byName[name].categories() {
			categories = append(categories, strings.TrimPrefix(category, "@"))
		}
		commands = append(commands, acl.Command{Name: name, Categories: categories})
	}
	for name := range foreignNames {
		if t.byName[name] == nil {
			commands = append(commands, acl.Command{Name: name, Absent: true})
		}
	}
	return acl.NewCatalogue(commands)
}
