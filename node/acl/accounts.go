package acl

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// DefaultName is the user clients are until they say who they are.
const DefaultName = "default"

// Account is the user of a name, at present. Clients hold on to it. It may be
// used from any goroutine.
type Account struct {
	name string
	user atomic.Pointer[User] // stored under the lock of its Accounts
}

// Name is the user's.
func (a *Account) Name() string { return a.name }

// User is the user at present. One that was deleted may do nothing.
func (a *Account) User() *User { return a.user.Load() }

// Accounts are all users. They may be used from any goroutine.
type Accounts struct {
	catalogue   *Catalogue
	defaultUser *Account    // never deleted
	channels    atomic.Bool // new users start with all channels

	mu     sync.Mutex
	byName map[string]*Account // guarded by mu
}

// NewAccounts are the default user alone, who may do everything without a
// password.
func NewAccounts(c *Catalogue) *Accounts {
	a := &Accounts{catalogue: c, byName: map[string]*Account{}, defaultUser: &Account{name: DefaultName}}
	a.defaultUser.user.Store(openUser(c))
	a.byName[DefaultName] = a.defaultUser
	return a
}

// openUser is a default user without limits.
func openUser(c *Catalogue) *User {
	u, _, err := New(c, DefaultName, false).Apply([]string{"on", "nopass", "allkeys", "allchannels", "allcommands"}, false)
	if err != nil {
		panic("acl: " + err.Error())
	}
	return u
}

// Catalogue is the commands that rules may name.
func (a *Accounts) Catalogue() *Catalogue { return a.catalogue }

// StartWithChannels says whether users made from now on start with all
// channels rather than none.
func (a *Accounts) StartWithChannels(all bool) { a.channels.Store(all) }

// Default is the user that clients are at first.
func (a *Accounts) Default() *Account { return a.defaultUser }

// Open reports whether clients need not say who they are.
func (a *Accounts) Open() bool {
	u := a.defaultUser.User()
	return u.enabled && u.noPass
}

// Get is the account of that name, nil when there is none.
func (a *Accounts) Get(name string) *Account {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byName[name]
}

// All is every user, by name.
func (a *Accounts) All() []*User {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all()
}

func (a *Accounts) all() []*User {
	users := make([]*User, 0, len(a.byName))
	for _, account := range a.byName {
		users = append(users, account.User())
	}
	slices.SortFunc(users, func(x, y *User) int { return strings.Compare(x.name, y.name) })
	return users
}

// Login is the account whose name and password these are; nil when they are
// not right or nobody may log in by that name.
func (a *Accounts) Login(name string, password []byte) *Account {
	account := a.Get(name)
	u := New(a.catalogue, name, false)
	if account != nil {
		u = account.User()
	}
	if right := u.accepts(password); !right || !u.enabled {
		return nil
	}
	return account
}

// Set applies rules to a user, who is made if there is none. The error is the
// reply of ACL SETUSER without its code; then nothing has changed. was is what
// the user was before, nil for a new one.
func (a *Accounts) Set(name string, rules ...string) (account *Account, was *User, err error) {
	joined, unmatched, ok := Join(rules)
	if !ok {
		//lint:ignore ST1005 a reply, as clients know it
		return nil, nil, fmt.Errorf("Unmatched parenthesis in acl selector starting at '%s'.", unmatched)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	account = a.byName[name]
	base := New(a.catalogue, name, a.channels.Load())
	if account != nil {
		was = account.User()
		base = was
	}
	u, rule, err := base.Apply(joined, a.channels.Load())
	if err != nil {
		return nil, nil, fmt.Errorf("Error in ACL SETUSER modifier '%s': %w", rule, err)
	}
	if account == nil {
		account = &Account{name: name}
	}
	account.user.Store(u)
	a.byName[name] = account
	return account, was, nil
}

// Delete takes users away, but the default user, and returns their accounts,
// which may do nothing any more.
func (a *Accounts) Delete(names ...string) (deleted []*Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range names {
		if account := a.byName[name]; account != nil && account != a.defaultUser {
			a.remove(account)
			deleted = append(deleted, account)
		}
	}
	return deleted
}

// remove is called with the lock held.
func (a *Accounts) remove(account *Account) {
	account.user.Store(New(a.catalogue, account.name, false))
	delete(a.byName, account.name)
}

// Replace makes users all there are; one who is there already keeps the
// account. Without a default user among them there is an unlimited one. It
// returns the accounts of those who are gone.
func (a *Accounts) Replace(users []*User) (deleted []*Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	keep := map[string]bool{DefaultName: true}
	a.defaultUser.user.Store(openUser(a.catalogue))
	for _, u := range users {
		keep[u.name] = true
		account := a.byName[u.name]
		if account == nil {
			account = &Account{name: u.name}
			a.byName[u.name] = account
		}
		account.user.Store(u)
	}
	for name, account := range a.byName {
		if !keep[name] {
			a.remove(account)
			deleted = append(deleted, account)
		}
	}
	return deleted
}
