package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a file becomes, after CONFIG SET of some directives.
func TestRewritten(t *testing.T) {
	for _, c := range []struct {
		name, file string
		set        []string
		users      []string
		want       string
	}{
		{"nothing changed", "# mine\nport 7000\n\nmaxmemory   75%\n", nil, nil, "# mine\nport 7000\n\nmaxmemory   75%\n"},
		{"no end of line", "port 7000", nil, nil, "port 7000\n"},
		{
			"changed in place", "# a\ntimeout 5\n# b\nmaxclients 7\n", []string{"timeout", "9"}, nil,
			"# a\ntimeout 9\n# b\nmaxclients 7\n",
		},
		{
			"added behind", "port 7000\n", []string{"maxmemory", "1gb", "maxmemory-policy", "allkeys-lru"}, nil,
			"port 7000\n" + rewriteMark + "\nmaxmemory 1gb\nmaxmemory-policy allkeys-lru\n",
		},
		{
			"added once more", "port 7000\n" + rewriteMark + "\nmaxclients 7\n", []string{"timeout", "9"}, nil,
			"port 7000\n" + rewriteMark + "\nmaxclients 7\ntimeout 9\n",
		},
		{"set to what is there", "timeout 5 \n", []string{"timeout", "5"}, nil, "timeout 5 \n"},
		{"back to the default", "timeout 5\n", []string{"timeout", "0"}, nil, "timeout 0\n"},
		{"twice", "timeout 5\nport 7000\nTIMEOUT 6\n", []string{"timeout", "9"}, nil, "port 7000\ntimeout 9\n"},
		{"by another name", "zset-max-ziplist-entries 5\n", []string{"zset-max-listpack-entries", "9"}, nil, "zset-max-listpack-entries 9\n"},
		{
			"classes on lines of their own", "client-output-buffer-limit normal 1mb 0 0\n#\nclient-output-buffer-limit pubsub 2mb 0 0\n",
			[]string{"client-output-buffer-limit", "normal 3mb 0 0"}, nil,
			"#\nclient-output-buffer-limit normal 3145728 0 0 slave 268435456 67108864 60 pubsub 2097152 0 0\n",
		},
		{
			"quoted", "", []string{"requirepass", "a \"b\\\n\xff#"}, nil,
			rewriteMark + "\nrequirepass \"a \\\"b\\\\\\x0a\\xff#\"\n",
		},
		{"emptied", "notify-keyspace-events KEA\nrequirepass x\n", []string{"notify-keyspace-events", "", "requirepass", ""}, nil, "notify-keyspace-events \"\"\nrequirepass \"\"\n"},
		{
			"users", "user gone on nopass\n# c\nuser stays off\nport 7000\n", nil,
			[]string{"user stays on #abc ~* -@all", `user new off ~"x -@all`},
			"# c\nuser stays on #abc ~* -@all\nport 7000\n" + rewriteMark + "\nuser new off \"~\\\"x\" -@all\n",
		},
		{"users elsewhere", "user stays off\n", nil, nil, "user stays off\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			on := withFiles("", map[string]string{"node.conf": c.file})
			settings, err := load([]string{"node.conf"}, on)
			if err != nil {
				t.Fatal(err)
			}
			if c.set != nil {
				if err := settings.Set(c.set...); err != nil {
					t.Fatal(err)
				}
			}
			got := settings.Rewritten(c.file, c.users)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			// What was written yields what is in force, and stays as it is.
			again, err := load([]string{"node.conf"}, withFiles("", map[string]string{"node.conf": got}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(settings.Get("*"), again.Get("*")); diff != "" {
				t.Errorf("the file now says something else: %s", diff)
			}
			if c.users == nil && again.Rewritten(got, nil) != got {
				t.Errorf("written once more it becomes %q", again.Rewritten(got, nil))
			}
		})
	}
}
