package acl

import (
	"slices"
	"strings"
	"testing"
)

// catalogue is a few commands, one of them a container.
func catalogue() *Catalogue {
	return NewCatalogue([]Command{
		{Name: "zadd", Categories: []string{"write", "sortedset", "fast"}},
		{Name: "zrange", Categories: []string{"read", "sortedset", "slow"}},
		{Name: "client", Categories: []string{"slow"}},
		{Name: "client|id", Categories: []string{"slow", "connection"}},
		{Name: "client|kill", Categories: []string{"slow", "admin", "dangerous"}},
		{Name: "select", Categories: []string{"fast", "connection"}},
		{Name: "publish", Categories: []string{"pubsub", "fast"}},
		{Name: "get", Absent: true},
	})
}

func number(c *Catalogue, name string) int { return c.byName[name] }

func userOf(t testing.TB, c *Catalogue, rules ...string) *User {
	t.Helper()
	joined, unmatched, ok := Join(rules)
	if !ok {
		t.Fatalf("unmatched %q", unmatched)
	}
	u, rule, err := New(c, "u", false).Apply(joined, false)
	if err != nil {
		t.Fatalf("%q: %v", rule, err)
	}
	return u
}

// The text of a user's rules is what real servers print.
func TestLine(t *testing.T) {
	c := catalogue()
	for rules, want := range map[string]string{
		"":                              "off resetchannels -@all",
		"on nopass ~* &* +@all":         "on nopass ~* &* +@all",
		"+@all -client|kill":            "off resetchannels +@all -client|kill",
		"+client|id +client":            "off resetchannels -@all +client",
		"+client -client|kill":          "off resetchannels -@all +client -client|kill",
		"+@read -@read +@READ":          "off resetchannels -@all +@read",
		"+ZADD +zadd":                   "off resetchannels -@all +zadd",
		"-@all +@write +@all":           "off resetchannels +@all",
		"+get +@hash":                   "off resetchannels -@all +get +@hash",
		"+select|0 +select|1":           "off resetchannels -@all +select|0 +select|1",
		"+select|0 +select":             "off resetchannels -@all +select",
		"%R~a %W~a %RW~b %rw~c ~d":      "off ~a ~b ~c ~d resetchannels -@all",
		"%R~a %W~b":                     "off %R~a %W~b resetchannels -@all",
		"&a &b &a":                      "off resetchannels &a &b -@all",
		"allkeys allchannels":           "off ~* &* -@all",
		"db=1,0,1":                      "off resetchannels db=0,1 -@all",
		"resetdbs":                      "off resetchannels resetdbs -@all",
		"db=1 alldbs":                   "off resetchannels -@all",
		"~a resetkeys &b resetchannels": "off resetchannels -@all",
		"(~a +zadd) ( +@read ~b )":      "off resetchannels -@all (~a resetchannels -@all +zadd) (~b resetchannels -@all +@read)",
		"(~a) clearselectors ()":        "off resetchannels -@all (resetchannels -@all)",
		"on nopass ~a +@all reset":      "off resetchannels -@all",
		"nopass >p":                     "off #148de9c5a7a44d19e56cd9ae1a554bf67847afb0c58f6e12fa29ac7ddfca9940 resetchannels -@all",
		">p <p":                         "off resetchannels -@all",
		">p nopass":                     "off nopass resetchannels -@all",
	} {
		u := userOf(t, c, strings.Fields(rules)...)
		if got := u.Line(); got != "user u "+want {
			t.Errorf("%q:\n got %s\nwant user u %s", rules, got, want)
		}
		if again := userOf(t, c, strings.Fields(u.Line())[2:]...); again.Line() != u.Line() {
			t.Errorf("%q is read back as %q", u.Line(), again.Line())
		}
	}
}

func TestRefusedRules(t *testing.T) {
	c := catalogue()
	for rules, want := range map[string]error{
		"+nosuch": errUnknownName, "-nosuch": errUnknownName, "+@nosuch": errUnknownName, "+client|nosuch": errUnknownName, "-select|0": errUnknownName,
		"+client|id|x": errFirstArg, "+select|": errSyntax, "what": errSyntax, "%~a": errSyntax, "%": errSyntax, "%RR~a": errSyntax, "%X~a": errSyntax,
		"~* ~a": errAllKeys, "&* &a": errAllChannels, "<p": errNoSuchPass, "#12": errPasswordHash, "!" + strings.Repeat("X", 64): errPasswordHash,
		"db=": errSyntax, "db=1,": errSyntax, "db=x": errSyntax, "db=-1": errDatabase, "db=99999999999": errDatabase,
		"(on)": errSyntax, "(>p)": errSyntax, "(reset)": errSyntax, "(~a (+zadd))": errSyntax, ")": errSyntax,
	} {
		joined, _, ok := Join(strings.Fields(rules))
		if !ok {
			t.Fatalf("%q is unmatched", rules)
		}
		if _, rule, err := New(c, "u", false).Apply(joined, false); err != want {
			t.Errorf("%q: %v at %q, want %v", rules, err, rule, want)
		}
	}
	if _, unmatched, ok := Join([]string{"on", "(+zadd", "~a"}); ok || unmatched != "(+zadd" {
		t.Errorf("an open parenthesis at %q: %v", unmatched, ok)
	}
}

func TestCheck(t *testing.T) {
	c := catalogue()
	key := func(name string, needs Access) []Key { return []Key{{[]byte(name), needs}} }
	for _, q := range []struct {
		rules   string
		command string
		r       Request
		want    Reason
	}{
		{"", "zadd", Request{}, DeniedCommand},
		{"", "zadd", Request{Always: true}, Allowed},
		{"+zadd", "zadd", Request{}, Allowed},
		{"+@all -@write", "zadd", Request{}, DeniedCommand},
		{"+@all -@write", "zrange", Request{}, Allowed},
		{"-client|kill +client", "client|kill", Request{}, Allowed},
		{"+client -client|kill", "client|kill", Request{}, DeniedCommand},
		{"+@slow", "client|id", Request{}, Allowed},
		{"+select|0", "select", Request{FirstArg: []byte("0")}, Allowed},
		{"+select|0", "select", Request{FirstArg: []byte("1")}, DeniedCommand},
		{"+select|0", "select", Request{}, DeniedCommand},
		{"+select|0 -select", "select", Request{FirstArg: []byte("0")}, DeniedCommand},
		{"+@all", "zadd", Request{Keys: key("a", Write)}, DeniedKey},
		{"+@all ~a*", "zadd", Request{Keys: key("ab", Read|Write)}, Allowed},
		{"+@all %R~a", "zadd", Request{Keys: key("a", Write)}, DeniedKey},
		{"+@all %R~a", "zrange", Request{Keys: key("a", Read)}, Allowed},
		{"+@all %R~a", "zrange", Request{Keys: key("a", 0)}, Allowed},
		{"+@all %R~a", "zrange", Request{Keys: key("b", 0)}, DeniedKey},
		{"+@all %R~a* %W~*b", "zrange", Request{Keys: key("ab", Read|Write)}, DeniedKey}, // one pattern must allow all
		{"+@all %R~a (%W~a +@all)", "zrange", Request{Keys: key("a", Read|Write)}, DeniedKey},
		{"+zadd ~a (+zrange ~b)", "zrange", Request{Keys: key("b", Read)}, Allowed},
		{"+zadd ~a (+zrange ~b)", "zadd", Request{Keys: key("b", Read)}, DeniedKey},
		{"+@all &a*", "publish", Request{Channels: [][]byte{[]byte("ab")}}, Allowed},
		{"+@all &a*", "publish", Request{Channels: [][]byte{[]byte("b")}}, DeniedChannel},
		{"+@all &a*", "publish", Request{Channels: [][]byte{[]byte("a*")}, Patterns: true}, Allowed},
		{"+@all &a*", "publish", Request{Channels: [][]byte{[]byte("ab")}, Patterns: true}, DeniedChannel},
		{"+@all db=1", "zadd", Request{Databases: []Database{{}}}, DeniedDatabase},
		{"+@all db=0", "zadd", Request{Databases: []Database{{}}}, Allowed},
	} {
		u := userOf(t, c, strings.Fields(q.rules)...)
		q.r.Command = number(c, q.command)
		if got := u.Check(&q.r); got.Reason != q.want {
			t.Errorf("%q, %s %+v: %q, want %q", q.rules, q.command, q.r, got.Reason, q.want)
		}
	}
	if !userOf(t, c, "+@all", "~*", "&*").Unlimited() || userOf(t, c, "+@all", "-zadd", "~*", "&*").Unlimited() || userOf(t, c, "(+@all ~* &*)").Unlimited() {
		t.Error("who may do everything is not known")
	}
}

// The selector that came furthest says which key it was.
func TestFurthestDenial(t *testing.T) {
	c := catalogue()
	u := userOf(t, c, "+zadd", "~key", "(+zadd", "~key", "~other)")
	r := Request{Command: number(c, "zadd"), Keys: []Key{{[]byte("other"), Read}, {[]byte("third"), Read}}}
	if got := u.Check(&r); got != (Denial{DeniedKey, 1}) {
		t.Errorf("got %+v", got)
	}
}

func TestUsersAreValues(t *testing.T) {
	c := catalogue()
	base := userOf(t, c, "+zadd", "+select|0", "~a", "&a", ">p", "(~b)")
	before := base.Line()
	for _, rule := range []string{"+@all", "+select|1", "%W~b", "&b", ">q", "(~c)", "reset", "<p", "-zadd"} {
		if _, _, err := base.Apply([]string{rule}, false); err != nil {
			t.Fatal(err)
		}
		if base.Line() != before {
			t.Fatalf("%s changed a user that others have: %s", rule, base.Line())
		}
	}
}

func TestAccounts(t *testing.T) {
	a := NewAccounts(catalogue())
	if !a.Open() || !a.Default().User().Unlimited() || a.Login("default", nil) != a.Default() {
		t.Error("the default user is not open to all")
	}
	account, was, err := a.Set("u", "on", ">p", "+zadd")
	if err != nil || was != nil {
		t.Fatal(was, err)
	}
	if a.Login("u", []byte("p")) != account || a.Login("u", []byte("q")) != nil || a.Login("nobody", []byte("p")) != nil {
		t.Error("not the right password alone lets in")
	}
	if _, _, err := a.Set("u", "off", "+nosuch"); err == nil || !account.User().Enabled() {
		t.Error("a change that fails changes something")
	}
	if _, _, err := a.Set("u", "off"); err != nil || a.Login("u", []byte("p")) != nil {
		t.Error("a user who is off can log in")
	}
	if gone := a.Delete("u", "default", "nobody"); !slices.Equal(gone, []*Account{account}) || a.Get("u") != nil {
		t.Errorf("deleted %v", gone)
	}
	if d := account.User().Check(&Request{}); d.Reason != DeniedCommand {
		t.Error("a deleted user may go on")
	}
}

func TestParse(t *testing.T) {
	a := NewAccounts(catalogue())
	users, err := a.Parse("f", "# comment\n\nuser b on >p ~x +zadd\r\n  user default off\n")
	if err != nil || len(users) != 2 {
		t.Fatal(users, err)
	}
	kept := a.Default()
	a.Replace(users)
	if a.Default() != kept || kept.User().Enabled() || a.Get("b") == nil {
		t.Error("the users of the file are not in force")
	}
	again, err := a.Parse("f", a.Text())
	if err != nil || len(again) != 2 || again[0].Line() != a.All()[0].Line() {
		t.Error("what is saved is read back differently")
	}
	for text, want := range map[string]string{
		"user a\nuser a":     "f:2: Duplicate user 'a' found. ",
		"usr a":              "f:1: line should start with user keyword. ",
		"user a +nosuch":     "f:1: Error in applying operation '+nosuch': Unknown command or category name in ACL. ",
		"user a >secret <sx": "f:1: The password you are trying to remove from the user does not exist. ",
		"user a (+zadd":      "f:1: Unmatched parenthesis in selector definition starting at '(+zadd'. ",
	} {
		if _, err := a.Parse("f", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if gone := a.Replace(nil); len(gone) != 1 || !a.Open() {
		t.Error("an empty file leaves users")
	}
}

// Whatever the rules, what ACL LIST prints makes the same user again.
func FuzzRules(f *testing.F) {
	f.Add("on >p ~a %R~b &c +@all -zadd (+select|0 ~x) db=1,2")
	f.Add("( (( ) +client|id ~) %RW~\" 'a")
	f.Add("+select|a) ~\x00 &\xff")
	c := catalogue()
	f.Fuzz(func(t *testing.T, text string) {
		joined, _, ok := Join(strings.Split(text, " "))
		if !ok {
			return
		}
		u, _, err := New(c, "u", false).Apply(joined, false)
		if err != nil {
			return
		}
		a := NewAccounts(c)
		users, err := a.Parse("f", u.Line())
		if err != nil {
			t.Fatalf("%q makes %q, which is refused: %v", text, u.Line(), err)
		}
		if users[0].Line() != u.Line() {
			t.Fatalf("%q makes %q, which is read as %q", text, u.Line(), users[0].Line())
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("user a on nopass ~* +@all\n# c\nuser default off (+zadd)\n")
	f.Fuzz(func(t *testing.T, text string) {
		a := NewAccounts(catalogue())
		users, err := a.Parse("f", text)
		if err != nil {
			return
		}
		a.Replace(users)
		if _, err := a.Parse("f", a.Text()); err != nil {
			t.Fatalf("what is saved is refused: %v", err)
		}
	})
}
